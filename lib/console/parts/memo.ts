/** A component that is rendered again only when one of its properties has changed. */
import { Component, type ComponentChild, type FunctionComponent } from 'preact';

export function memo<Props extends object>(
  draw: (props: Props) => ComponentChild,
): FunctionComponent<Props> | (new (props: Props) => Component<Props>) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const own = new Map(Object.entries(this.props));
      return Object.entries(next).some(([name, value]) => own.get(name) !== value);
    }

    override render(props: Props): ComponentChild {
      return draw(props);
    }
  };
}
