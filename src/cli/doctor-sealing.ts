import { describeSealingKey } from '../access/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Finding } from './doctor-trials.ts';

/** Where the key is under which customers' secrets lie sealed in the database. */
export function sealingFinding({ data, keySecret, databaseUrl }: Config): Finding {
  const { place, problem } = describeSealingKey(data, keySecret);
  const shared =
    keySecret === null && databaseUrl !== null ? '; a second node needs TRUNKLINE_KEY_SECRET instead' : '';
  return {
    name: 'sealing key',
    works: problem === null,
    required: false,
    detail: problem === null ? `${place}${shared}` : `${place}: ${problem}`,
  };
}
