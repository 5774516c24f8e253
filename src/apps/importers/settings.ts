import { AGENT_LANGUAGES } from '../../conversation/agents/index.ts';
import type { AgentDraft } from './agent-draft.ts';
import type { ExportReader } from './export-reader.ts';

export function convertLanguage(draft: AgentDraft, piece: ExportReader): void {
  const code = piece.text();
  if (code === undefined) return;
  const [first = ''] = code.toLowerCase().split(/[-_]/);
  const language = AGENT_LANGUAGES.find((served) => served === first);
  if (language === undefined) {
    draft.change(piece.path, `${code} is not supported; the agent speaks English`);
    return;
  }
  draft.agent.language = language;
  if (language === 'de')
    draft.change(piece.path, 'German is not supported in calls; the agent speaks English');
}

export function noteVoice(draft: AgentDraft, piece: ExportReader, chosen: string | undefined): void {
  const voice = piece.text();
  if (voice !== undefined)
    draft.change(piece.path, `${voice} is not available; the agent uses ${chosen ?? 'the account’s voice'}`);
}

export function noteModel(draft: AgentDraft, piece: ExportReader): void {
  const model = piece.text();
  if (model !== undefined)
    draft.change(piece.path, `${model} is not available; the agent uses the server’s model`);
}

export const CALL_SECONDS = [10, 14_400] as const;
export const IDLE_SECONDS = [3, 300] as const;

export function third<T>(value: number, [low, middle, high]: readonly [T, T, T]): T {
  if (value < 1 / 3) return low;
  return value < 2 / 3 ? middle : high;
}

export function formField(
  draft: AgentDraft,
  name: string,
  field: Record<string, unknown>,
  isRequired = false,
): void {
  const before = (draft.agent.extraction_schema ?? { properties: {} }) as {
    properties: Record<string, unknown>;
    required?: string[];
  };
  const required = [...(before.required ?? []), ...(isRequired ? [name] : [])];
  draft.agent.extraction_schema = {
    type: 'object',
    properties: Object.fromEntries([...Object.entries(before.properties), [name, field]]),
    ...(required.length === 0 ? {} : { required }),
  };
}
