/** Server-sent events out of the pieces in which a stream comes. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Gives the events that each further piece of text completes. */
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
