/** A dialog that the browser closes by itself, as Chrome does at a second Escape. */
import { expect, test } from 'vitest';
import { dialogClosed } from '#console/dialog/dialog-closed.ts';

/** How often it was shown again. */
function dialog() {
  let shown = 0;
  const showModal = () => {
    shown += 1;
  };
  return { showModal, shown: () => shown };
}

test('one that the user cannot close is shown again, each time', () => {
  const prompt = dialog();
  for (const time of [1, 2, 3]) {
    dialogClosed(prompt, undefined);
    expect(prompt.shown()).toBe(time);
  }
});

test('the page learns of another, and it is not shown again', () => {
  const question = dialog();
  let closed = 0;
  dialogClosed(question, () => {
    closed += 1;
  });
  expect([closed, question.shown()]).toEqual([1, 0]);
});

test('one that the page has removed is left alone', () => {
  expect(() => dialogClosed(null, undefined)).not.toThrow();
  dialogClosed(null, () => expect.fail('it is closed twice'));
});
