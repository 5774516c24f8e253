import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Config } from '../../foundation/platform/config/index.ts';
import { type Model, Models } from '../../foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import { type AddedModel, AddedModels, languagesOf, titleOf } from '../../speech/added-models/index.ts';
import type { CliContext } from './command.ts';
import type { FetchOptions } from './models.ts';

/** The fetcher runs before anything is compiled, so it is a script of its own. */
const FETCHER = join(PROJECT_ROOT, 'scripts/fetch-models.mjs');
const MEGABYTE = 1_000_000;

export function list(context: CliContext, json: boolean): void {
  const config = context.config();
  const store = new Models({ root: config.models });
  const added = new AddedModels(config.data);
  const rows = [
    ...store.list.map((model) => ({ ...summary(model), ...store.status(model.id) })),
    ...added.list.map((model) => ({ ...addedSummary(model), ...added.status(model) })),
  ];
  if (json) {
    context.out(JSON.stringify(rows, null, 2));
    return;
  }
  for (const row of rows) {
    const state = row.ready ? 'here   ' : row.fetch === 'optional' ? 'absent ' : 'MISSING';
    const languages = row.languages.length > 0 ? ` [${row.languages.join(' ')}]` : '';
    context.out(
      `${state}  ${row.id} ${row.version}, ${row.licence}, ${row.megabytes} MB${languages}: ${row.purpose}`,
    );
  }
}

function summary(model: Model) {
  const { id, title, version, work, purpose, licence, origin, languages, surfaces, fetch } = model;
  const served = model.files.filter((file) => !file.intermediate);
  const platform = `${process.platform}-${process.arch}`;
  const bytes = served
    .filter((file) => (file.platform ?? platform) === platform)
    .reduce((sum, file) => sum + file.bytes, 0);
  const megabytes = Number((bytes / MEGABYTE).toFixed(1));
  return { id, title, version, work, purpose, licence, origin, languages, surfaces, fetch, megabytes };
}

const WORK = {
  whisper: 'recognition',
  moonshine: 'recognition',
  'piper-voice': 'speech',
  'kokoro-voices': 'speech',
  'kokoro-model': 'speech',
  'embedding-model': 'retrieval',
  'speaker-encoder': 'diarization',
} as const;
const SURFACES = {
  whisper: ['hear', 'omni', 'jobs'],
  moonshine: ['hear', 'omni'],
  'piper-voice': ['speak', 'omni'],
  'kokoro-voices': ['speak', 'omni'],
  'kokoro-model': ['speak', 'cast'],
  'embedding-model': ['knowledge'],
  'speaker-encoder': ['hear', 'jobs', 'dub'],
} as const;

const costOf = (model: AddedModel): string =>
  model.kind === 'embedding-model'
    ? `${model.measured.passageMs} ms a passage`
    : `real-time factor ${model.measured.realTimeFactor}`;

function addedSummary(model: AddedModel) {
  const { name, source, revision, licence, files } = model;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    id: name,
    title: titleOf(model),
    version: revision?.slice(0, 12) ?? files[0]?.sha256.slice(0, 12) ?? '',
    work: WORK[model.kind],
    languages: languagesOf(model),
    purpose: `${titleOf(model)}, ${costOf(model)}; added from ${source}`,
    licence: licence ?? 'no licence stated',
    origin: source,
    surfaces: SURFACES[model.kind],
    fetch: 'added' as const,
    megabytes: Number((bytes / MEGABYTE).toFixed(1)),
  };
}

export async function runFetcher(
  context: CliContext,
  options: FetchOptions,
  more: readonly string[],
): Promise<number> {
  const config = context.config();
  const args = [FETCHER, ...more, '--root', new Models({ root: config.models }).root];
  if (options.only) args.push('--only', options.only);
  if (options.all) args.push('--all');
  const from = options.from ?? config.modelsFrom;
  if (from) args.push('--from', from);
  const code = await ended(args, environmentFor(config, context));
  context.exit(code);
  return code;
}

const environmentFor = (config: Config, context: CliContext): NodeJS.ProcessEnv => ({
  ...context.environment,
  ...(config.models === null ? {} : { TRUNKLINE_MODELS: config.models }),
});

function ended(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', env });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
