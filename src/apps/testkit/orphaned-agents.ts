import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface AgentPlace {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: string;
}

export interface OrphanedAgentsOptions {
  readonly folder: string;
  readonly remove: (place: AgentPlace, id: string) => Promise<unknown>;
  readonly failed: (error: unknown, id: string) => void;
}

/** Records agents of running suites as empty files, whose names contain their tenant scope. */
export class OrphanedAgents {
  readonly #options: OrphanedAgentsOptions;

  constructor(options: OrphanedAgentsOptions) {
    this.#options = options;
  }

  async note({ org_id, project_id, environment }: AgentPlace, id: string): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, [org_id, project_id, environment, id].join('.')), '');
  }

  async remove(place: AgentPlace, id: string): Promise<void> {
    await this.#options.remove(place, id);
    const { org_id, project_id, environment } = place;
    await rm(join(this.#options.folder, [org_id, project_id, environment, id].join('.')), { force: true });
  }

  async sweep(): Promise<void> {
    for (const name of await readdir(this.#options.folder).catch(() => [])) {
      const [org_id, project_id, environment, id] = name.split('.');
      if (org_id === undefined || project_id === undefined || environment === undefined || id === undefined)
        continue;
      await this.remove({ org_id, project_id, environment }, id).catch((error: unknown) =>
        this.#options.failed(error, id),
      );
    }
  }
}
