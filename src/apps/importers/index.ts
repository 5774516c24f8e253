import { AgentDraft } from './agent-draft.ts';
import { fromElevenLabs } from './elevenlabs.ts';
import { ExportReader, ImportError } from './export-reader.ts';
import { fromRetell } from './retell.ts';
import { fromVapi } from './vapi.ts';

export { type ConvertedFlow, convertFlow, FLOW_PLATFORMS, type FlowPlatform } from './flows/index.ts';
export { ImportError };

export const PLATFORMS = ['vapi', 'elevenlabs', 'retell'] as const;
export type Platform = (typeof PLATFORMS)[number];

export interface ConvertedAgent {
  /** The body of `POST /v1/agents`, without the tools' ids. */
  readonly agent: Readonly<Record<string, unknown>>;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly changed: readonly string[];
  readonly left: readonly string[];
}

export interface ExportedFile {
  readonly name: string;
  readonly text: string;
}

export function convertAgent(
  platform: Platform,
  files: readonly ExportedFile[],
  voice?: string,
): ConvertedAgent {
  const read = files.map(({ name, text }) => ExportReader.parse(text, name));
  const [first, ...others] = read;
  if (first === undefined) throw new ImportError('expected the file of an exported agent as the argument');
  if (others.length > (platform === 'retell' ? 1 : 0))
    throw new ImportError('expected one agent: import each agent separately');
  const draft = new AgentDraft();
  if (platform === 'vapi') fromVapi(draft, first, voice);
  else if (platform === 'elevenlabs') fromElevenLabs(draft, first, voice);
  else fromRetell(draft, read, voice);
  return { ...draft.done(voice), left: read.flatMap((file) => file.left()) };
}
