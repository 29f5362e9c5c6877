/** A progress bar: `█████░░░░░  500 of 1,000`. */
export function progressBar(done: number, all: number, columns: number): string {
  const words = `  ${done.toLocaleString('en')} of ${all.toLocaleString('en')}`;
  const width = Math.max(0, Math.min(40, columns - words.length - 1));
  const full = all === 0 ? width : Math.floor((width * done) / all);
  return '█'.repeat(full) + '░'.repeat(width - full) + words;
}
