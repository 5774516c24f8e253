import { describeSealingKey } from '../../foundation/access/index.ts';
import type { Config } from '../../foundation/platform/config/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

export function sealingFinding({ data, keySecret, databaseUrl }: Config): DoctorFinding {
  const { place, problem } = describeSealingKey(data, keySecret);
  const isFile = keySecret === null && databaseUrl !== null;
  const shared = isFile
    ? '; every other node on this database needs a copy of it in its data folder, or every node needs the same TRUNKLINE_KEY_SECRET from its first start'
    : '';
  const missing = isFile ? '; copy it from the first node of this database, if there is one' : '';
  return {
    name: 'sealing key',
    works: problem === null,
    required: false,
    detail: problem === null ? `${place}${shared}` : `${place}: ${problem}${missing}`,
  };
}
