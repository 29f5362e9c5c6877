/** Texts of others, such as a service or a file, for a terminal: an escape sequence in them could control it. */

/** On one line: each control character is a space. */
export const plainText = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');

/** With its lines. */
export const plainLines = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, ' ');
