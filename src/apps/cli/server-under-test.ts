import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../foundation/platform/config/index.ts';
import { createLog } from '../../foundation/platform/log.ts';
import { Models } from '../../foundation/platform/models/index.ts';
import { openEngine } from '../../main/engine.ts';
import { type Engine, embedTexts } from '../../media/engine/index.ts';
import { EMBEDDING_MODEL, embeddingSimilarity, ServerApi, type TextSimilarity } from '../testkit/index.ts';
import type { CliContext } from './command.ts';

export interface ServerUnderTest {
  readonly api: ServerApi;
  readonly similarity: TextSimilarity | null;
  close(): Promise<void>;
}

export interface ServerAddress {
  readonly url: string;
  readonly key: string;
}

export interface BrainOfSuite {
  readonly name: string;
  readonly url: string;
}

const LANES = 4;

export async function startServerUnderTest(
  context: CliContext,
  brains: readonly BrainOfSuite[],
): Promise<ServerUnderTest> {
  const data = mkdtempSync(join(tmpdir(), 'trunkline-test-'));
  const config = loadConfig({
    ...context.environment,
    TRUNKLINE_DATA: data,
    TRUNKLINE_PORT: '0',
    TRUNKLINE_CARRIER: 'loopback',
    // The tool mocks of telephone calls are webhooks on loopback.
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    TRUNKLINE_LOG_LEVEL: 'silent',
    TRUNKLINE_MAX_LANES: String(LANES),
    ...(brains.length === 0
      ? {}
      : { TRUNKLINE_BRAINS: JSON.stringify(brains.map(({ name, url }) => ({ name, url, model: name }))) }),
  });
  const log = createLog({ level: config.logLevel });
  const models = new Models({ root: config.models });
  const engine = openEngine(config, models, log);
  const { createApplication } = await import('../../main/main.ts');
  const application = await createApplication(config, log, engine);
  const url = await application.server.listen();
  await engine.prepared();
  const minted = await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' });
  const { api_key: key } = (await minted.json()) as { api_key: string };
  return {
    api: new ServerApi(url, key),
    similarity: similarityOf(engine, models),
    close: async () => {
      await application.stop(0);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

export function connectServerUnderTest(context: CliContext, url: string, key: string): ServerUnderTest {
  const config = context.config();
  const models = new Models({ root: config.models });
  let engine: Engine | undefined;
  const similarity: TextSimilarity = (one, other) => {
    engine ??= openEngine({ ...config, maxLanes: 1 }, models, context.log(config));
    return alikeIn(engine)(one, other);
  };
  return {
    api: new ServerApi(url, key),
    similarity: models.status(EMBEDDING_MODEL).ready ? similarity : null,
    close: async () => engine?.destroy(),
  };
}

const similarityOf = (engine: Engine, models: Models): TextSimilarity | null =>
  models.status(EMBEDDING_MODEL).ready ? alikeIn(engine) : null;

const alikeIn = (engine: Engine): TextSimilarity =>
  embeddingSimilarity(async (texts) => {
    await engine.prepared();
    return await embedTexts(engine, texts, { live: false });
  });
