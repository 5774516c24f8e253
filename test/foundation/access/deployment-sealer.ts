import { Sealer } from '../../../src/foundation/access/index.ts';

/** Of every deployment of the tests. */
export const DEPLOYMENT_SEALER = new Sealer(Buffer.alloc(32, 7), 'deployment secrets');
