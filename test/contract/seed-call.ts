import { newId } from '../../src/foundation/platform/ids.ts';

let id = newId('ocl');

export const seedCall = {
  get id(): string {
    return id;
  },
  next(): string {
    id = newId('ocl');
    return id;
  },
};
