/** A document with its redacted values marked. */
import { Icon } from '../parts/icon.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { documentParts } from './document-parts.ts';

interface Props {
  readonly document: unknown;
  readonly label: string;
}

export function DocumentText({ document, label }: Props) {
  return (
    <ScrollBox class="document" label={label}>
      <pre>
        {documentParts(document).map((part, at) =>
          part.kind === 'text' ? (
            part.text
          ) : (
            <span
              class="redacted"
              key={at}
              title="A sensitive value, which the server does not return"
            >
              <Icon name="lock" />
              redacted
            </span>
          ),
        )}
      </pre>
    </ScrollBox>
  );
}
