/** Parses server-sent events from the chunks of a stream. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Returns the events that each further chunk completes. */
export function sseParser(): (piece: string) => ServerEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const event = eventOf(block);
      return event === null ? [] : [event];
    });
  };
}

function eventOf(block: string): ServerEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}
