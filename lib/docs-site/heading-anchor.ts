/** The anchor that GitHub makes of the title of a heading. The site has the same ones, so that links work in both places. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
