import { expect, it } from 'vitest';
import { UtteranceIds } from '../../../../src/edge/surfaces/hear/utterance-ids.ts';

it('an utterance keeps its id until its final, whatever is said of the next meanwhile', () => {
  const ids = new UtteranceIds();
  const first = ids.of(1);
  const second = ids.of(2);
  expect(second).not.toBe(first);
  expect([ids.of(1), ids.of(2)]).toEqual([first, second]);
  ids.over(1);
  expect(ids.of(2)).toBe(second);
  expect(ids.of(1)).not.toBe(first);
});
