/**
 * The list names what the tests of this folder try, for the tables of the guides and for `npm run bench -- compatibility`.
 * A feature has the title of its test as the file has it; `difference` is one sentence, and absent where nothing differs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Feature {
  readonly feature: string;
  readonly test: string;
  readonly difference?: string;
}

export interface FeatureGroup {
  /** The guide whose table has them. */
  readonly page: string;
  readonly client: string;
  readonly file: string;
  readonly features: readonly Feature[];
}

export const GROUPS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'features.json'), 'utf8'),
) as readonly FeatureGroup[];
