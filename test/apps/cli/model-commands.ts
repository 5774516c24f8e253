import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { AddedModels } from '../../../src/speech/added-models/index.ts';
import { HubServer } from '../../speech/added-models/hub-server.ts';
import { outputOf } from './output-of.ts';

/** `npx trunkline models`, with a data folder and a hub of its own. */
export class ModelCommands {
  /** A test puts its own files here. */
  readonly folder: string;
  readonly data: string;
  readonly added: AddedModels;
  readonly hub: HubServer;

  private constructor(folder: string, hub: HubServer) {
    this.folder = folder;
    this.data = join(folder, 'data');
    this.added = new AddedModels(this.data);
    this.hub = hub;
  }

  static async start(name: string): Promise<ModelCommands> {
    return new ModelCommands(mkdtempSync(join(tmpdir(), `trunkline-${name}-`)), await HubServer.start());
  }

  run = (...args: readonly string[]) => this.runFrom({}, ...args);

  runFrom(environment: Record<string, string>, ...args: readonly string[]) {
    const root = process.env.TRUNKLINE_MODELS;
    return outputOf(['models', ...args], {
      TRUNKLINE_DATA: this.data,
      TRUNKLINE_LOG_LEVEL: 'silent',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      HF_ENDPOINT: this.hub.endpoint,
      ...(root ? { TRUNKLINE_MODELS: root } : {}),
      ...environment,
    });
  }

  /** Puts the files of a folder into a repository of the hub. */
  publish(repository: string, from: string, licence = 'mit'): void {
    const files = readdirSync(from, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    this.hub.repositories.set(repository, {
      licence,
      files: Object.fromEntries(files.map((path) => [relative(from, path), { bytes: readFileSync(path) }])),
    });
  }

  /** Returns the folders that additions have left. */
  left(): string[] {
    const models = join(this.data, 'models');
    return (existsSync(models) ? readdirSync(models) : []).sort();
  }

  stop(): void {
    this.hub.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
