/**
 * The results of each part are stored until it is measured again, so that parts run separately and are reported
 * together.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from '../harness/index.ts';

export interface StoredPart<Data> {
  readonly measured: string;
  readonly data: Data;
}

export class PartStore {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  keep<Data>(name: string, data: Data): void {
    const { date, commit, load } = describeMachine();
    const measured = `${date}${commit ? `, at ${commit}` : ''}, load ${load}`;
    writeFileSync(this.path(name), JSON.stringify({ measured, data }));
  }

  read<Data>(name: string): StoredPart<Data> | undefined {
    try {
      return JSON.parse(readFileSync(this.path(name), 'utf8')) as StoredPart<Data>;
    } catch {
      return undefined;
    }
  }

  private path(name: string): string {
    return join(this.folder, `${name}.json`);
  }
}
