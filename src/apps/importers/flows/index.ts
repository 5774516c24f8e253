import { checkFlow, type Flow, type Problem } from '../../../conversation/flows/index.ts';
import { ExportReader, ImportError } from '../export-reader.ts';
import { fromDograhFlow } from './dograh-flow.ts';
import { fromElevenLabsFlow } from './elevenlabs-flow.ts';
import { FlowDraft } from './flow-draft.ts';
import { fromRetellFlow } from './retell-flow.ts';
import { fromVapiFlow } from './vapi-flow.ts';

export const FLOW_PLATFORMS = ['vapi', 'retell', 'elevenlabs', 'dograh'] as const;
export type FlowPlatform = (typeof FLOW_PLATFORMS)[number];

const READERS: Readonly<Record<FlowPlatform, (draft: FlowDraft, file: ExportReader) => void>> = {
  vapi: fromVapiFlow,
  retell: fromRetellFlow,
  elevenlabs: fromElevenLabsFlow,
  dograh: fromDograhFlow,
};

export interface ConvertedFlow {
  readonly flow: Flow;
  readonly changed: readonly string[];
  readonly left: readonly string[];
  readonly problems: readonly Problem[];
}

export function convertFlow(platform: FlowPlatform, name: string, text: string): ConvertedFlow {
  const file = ExportReader.parse(text, name);
  const draft = new FlowDraft();
  READERS[platform](draft, file);
  const { flow, changed } = draft.done();
  if (flow.nodes.length === 0) throw new ImportError(`${name}: it has no nodes`);
  return { flow, changed, left: file.left(), problems: checkFlow(flow).problems };
}
