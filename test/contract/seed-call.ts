import { newId } from '../../src/foundation/platform/ids.ts';

let id = newId('ocl');

/** The call that the rows of its legs, sessions and detections belong to: the last one that was made a row of. */
export const seedCall = {
  get id(): string {
    return id;
  },
  next(): string {
    id = newId('ocl');
    return id;
  },
};
