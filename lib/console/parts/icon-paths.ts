/** The signs of the console, as paths in a square of 16. */

export const iconPaths = {
  wait: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11',
  run: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M6.6 5.6v4.8L10.4 8z',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2 1.4',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 2.2L14.3 13.2H1.7zM8 6.3v3.2M8 11.2v.2',
  back: 'M6 3.5L2.8 6.7L6 9.9M3 6.7h6.2a3.6 3.6 0 0 1 0 7.2H7',
  skip: 'M3.5 8h9',
  pause: 'M5.5 4v8M10.5 4v8',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1',
  moon: 'M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7z',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 1 0 0-8.4M10.2 10.2l3.3 3.3',
  lock: 'M4 7.2h8v6H4zM5.6 7.2V5.3a2.4 2.4 0 0 1 4.8 0v1.9',
  pulse: 'M1.5 8.5h3L6.6 3.4l3 9.4l1.9-4.3h3',
  list: 'M2.5 4h.1M2.5 8h.1M2.5 12h.1M5.8 4h7.7M5.8 8h7.7M5.8 12h7.7',
  agent: 'M3 3h10v4H3zM3 9h10v4H3zM5.4 5h.1M5.4 11h.1',
  graph: 'M2.5 2.5h3.6v3.6H2.5zM9.9 9.9h3.6v3.6H9.9zM4.3 6.1v5.6h5.6',
} as const;

export type IconName = keyof typeof iconPaths;
