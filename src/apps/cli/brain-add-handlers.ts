import {
  type AddedBrain,
  AddedBrainError,
  AddedBrains,
  brainNameOf,
  GgufError,
  type GgufMetadata,
  type LocalModelFacts,
  readGguf,
  runtimeFolder,
  runtimeInstalled,
} from '../../conversation/brains/index.ts';
import type { Config } from '../../foundation/platform/config/index.ts';
import { brainEntries, openLocalModel } from '../../main/main.ts';
import type { AddOptions } from './brain.ts';
import type { CliContext } from './command.ts';

export const add = (context: CliContext, file: string, options: AddOptions): Promise<void> =>
  tried(context, async () => {
    const config = context.config();
    const brains = new AddedBrains(config.data);
    const name = options.name ?? brainNameOf(file);
    if (brainEntries(config).some((entry) => entry.name === name))
      throw new AddedBrainError(`TRUNKLINE_BRAINS already has a brain ${name}: choose another --name`);
    const facts = await readGguf(file);
    const added = brains.add(file, name, options.default === true);
    context.out(headline(added, facts));
    const loaded = await whatItDoes(context, config, added.path);
    if (typeof loaded === 'string') {
      brains.remove(name);
      throw new AddedBrainError(`${loaded}; the model was not added`);
    }
    for (const line of loaded === null ? unmeasured(facts) : measured(loaded, config)) context.out(line);
    context.out(standing(added, config));
  });

export const list = (context: CliContext): Promise<void> =>
  tried(context, async () => {
    const config = context.config();
    for (const { name, model } of brainEntries(config)) context.out(`${name}: ${model} (TRUNKLINE_BRAINS)`);
    if (config.brainGguf !== null) context.out(`without a name: ${config.brainGguf} (TRUNKLINE_BRAIN_GGUF)`);
    const added = new AddedBrains(config.data).list();
    for (const brain of added)
      context.out(`${headline(brain, await readGguf(brain.path))}${mark(brain, config)}`);
    if (added.length === 0)
      context.out('no GGUF model was added; add one with: npx trunkline brain add FILE');
  });

export const remove = (context: CliContext, name: string): Promise<void> =>
  tried(context, async () => {
    new AddedBrains(context.config().data).remove(name);
    context.out(`${name} was removed; a running server uses it until it restarts`);
  });

async function tried(context: CliContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GgufError || error instanceof AddedBrainError)) throw error;
    context.error(`error: ${error.message}`);
    context.exit(1);
  }
}

/** Returns null where no runtime exists, or a text with the reason of a failure. */
async function whatItDoes(
  context: CliContext,
  config: Config,
  path: string,
): Promise<LocalModelFacts | string | null> {
  if (!(await runtimeInstalled(runtimeFolder(config.data)))) return null;
  const log = context.log(config);
  let close = async (): Promise<void> => undefined;
  const found = await new Promise<LocalModelFacts | string>((onReady) => {
    const model = openLocalModel(config, log, path, { onReady, onFault: onReady });
    close = model.close;
    model.prepare?.('', 'en');
  });
  await close();
  return found;
}

const number = (value: number): string => Math.round(value).toLocaleString('en');
const megabytes = (bytes: number): string => `${number(bytes / 1e6)} MB`;

function headline({ name }: AddedBrain, facts: GgufMetadata): string {
  const parts = [
    facts.name ?? facts.architecture,
    facts.architecture,
    facts.quantization,
    `${number(facts.parameters / 1e6)} million parameters`,
    megabytes(facts.bytes),
  ];
  return `${name}: ${parts.filter((part) => part !== null).join(', ')}`;
}

const unmeasured = ({ trainedTokens }: GgufMetadata): string[] => [
  `  context   trained for ${trainedTokens === null ? 'an unknown number of' : number(trainedTokens)} tokens`,
  '  measured  not measured, because the runtime is not installed (npx trunkline brain install)',
];

function measured(facts: LocalModelFacts, config: Config): string[] {
  const { contextTokens, trainedTokens, calls, contextBytes, readTokensPerSecond, writtenTokensPerSecond } =
    facts;
  const whole =
    trainedTokens === null || contextTokens >= trainedTokens
      ? 'the full length that it was trained for'
      : `limited by memory (trained for ${number(trainedTokens)})`;
  const least = config.brainGgufTokensPerSecond;
  return [
    `  context   ${number(contextTokens)} tokens, ${whole}, for each of ${calls} calls; ${megabytes(contextBytes)} of memory`,
    `  measured  ${number(readTokensPerSecond)} tokens per second read, ${number(writtenTokensPerSecond)} generated`,
    ...(writtenTokensPerSecond >= least
      ? []
      : [
          `  slow      below the minimum of ${least} tokens per second for each answer, so it answers one call at a time`,
        ]),
  ];
}

const standing = (added: AddedBrain, config: Config): string =>
  added.isDefault && config.brainGguf === null
    ? `  answers   agents that name no brain, and agents with "brain": "${added.name}", after the server restarts`
    : `  answers   agents with "brain": "${added.name}", after the server restarts`;

const mark = ({ isDefault }: AddedBrain, { brainGguf }: Config): string =>
  isDefault && brainGguf === null ? ' (answers for agents that name no brain)' : '';
