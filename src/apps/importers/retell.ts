import type { AgentDraft } from './agent-draft.ts';
import { type ExportReader, ImportError } from './export-reader.ts';
import {
  CALL_SECONDS,
  convertLanguage,
  formField,
  IDLE_SECONDS,
  noteModel,
  noteVoice,
  third,
} from './settings.ts';
import { convertTool, convertTransfer } from './tools.ts';

const BOOKKEEPING = [
  'agent_id',
  'version',
  'base_version',
  'is_published',
  'last_modification_timestamp',
  'version_title',
  'version_description',
  'channel',
];

/**
 * Converts an agent of Retell's `GET /get-agent/{agent_id}` with its `GET /get-retell-llm/{llm_id}`, from two files
 * or one that contains both.
 */
export function fromRetell(
  draft: AgentDraft,
  files: readonly ExportReader[],
  voice: string | undefined,
): void {
  const agent = files.find((file) => file.at('response_engine').isThere);
  if (agent === undefined)
    throw new ImportError('the file is not a Retell agent: response_engine is missing');
  const llm = files.find((file) => file !== agent) ?? agent.at('retellLlmData');
  const engine = agent.at('response_engine').at('type').text();
  if (engine !== 'retell-llm')
    throw new ImportError(`only agents of the type retell-llm can be imported, not ${engine}`);
  if (!llm.isThere)
    throw new ImportError('the prompt is in another file: also pass the response of get-retell-llm');
  agent.skip(...BOOKKEEPING);
  agent.at('response_engine').skip('llm_id', 'version');
  llm.skip('llm_id', 'version', 'is_published', 'last_modification_timestamp');
  draft.name(agent.at('agent_name').text(), 'From Retell');
  convertLlm(draft, llm);
  convertLanguages(draft, agent.at('language'));
  noteVoice(draft, agent.at('voice_id'), voice);
  draft.vocabulary(agent.at('boosted_keywords').texts());
  convertTurnSettings(draft, agent);
  convertRecordSettings(draft, agent);
}

function convertLlm(draft: AgentDraft, llm: ExportReader): void {
  draft.persona(llm.at('general_prompt').text() ?? '');
  noteModel(draft, llm.at('model').isThere ? llm.at('model') : llm.at('s2s_model'));
  if (llm.at('start_speaker').text() === 'user') llm.skip('begin_message');
  else draft.greeting(llm.at('begin_message'));
  for (const tool of llm.at('general_tools').items()) convertRetellTool(draft, tool);
}

function convertRetellTool(draft: AgentDraft, tool: ExportReader): void {
  switch (tool.at('type').text()) {
    case 'end_call':
      draft.builtin('end_call');
      tool.skip('name');
      return;
    case 'press_digit':
      draft.builtin('send_keys');
      tool.skip('name');
      return;
    case 'send_sms':
      draft.builtin('send_message');
      tool.skip('name');
      return;
    case 'transfer_call':
      convertTransfer(draft, tool, reasonOf(tool));
      tool.skip('name');
      return;
    case 'custom':
      convertCustomTool(draft, tool);
      return;
  }
}

function reasonOf(tool: ExportReader): string[] {
  if (tool.at('transfer_destination').at('type').text() !== 'predefined') return [];
  return [tool.at('description').text() ?? ''];
}

function convertCustomTool(draft: AgentDraft, tool: ExportReader): void {
  const method = tool.at('method').text() ?? 'POST';
  if (method !== 'POST' || tool.at('query_params').isThere) {
    tool.whole();
    draft.change(
      tool.path,
      `a webhook tool must use POST with a body, not ${method} with parameters; it was not imported`,
    );
    return;
  }
  tool.skip('parameter_type');
  convertTool(draft, {
    at: tool,
    name: tool.at('name').text(),
    description: tool.at('description').text(),
    parameters: tool.at('parameters').whole(),
    url: tool.at('url').text(),
    headers: tool.at('headers'),
    timeoutMs: tool.at('timeout_ms').number(),
  });
}

function convertLanguages(draft: AgentDraft, language: ExportReader): void {
  if (!Array.isArray(language.whole())) {
    convertLanguage(draft, language);
    return;
  }
  const [first, ...others] = language.items();
  if (first !== undefined) convertLanguage(draft, first);
  if (others.length > 0) draft.change(language.path, 'an agent has one language; the first one was imported');
}

function convertTurnSettings(draft: AgentDraft, agent: ExportReader): void {
  const sensitivity = agent.at('interruption_sensitivity').number();
  if (sensitivity !== undefined)
    draft.agent.barge_sensitivity = third(sensitivity, ['low', 'normal', 'high']);
  if (sensitivity === 0)
    draft.change(
      'interruption_sensitivity',
      '0 was imported as low: a caller who continues to speak still interrupts',
    );
  const quickness = agent.at('responsiveness').number();
  if (quickness !== undefined) draft.agent.endpointing = third(quickness, ['patient', 'normal', 'quick']);
  const longest = agent.at('max_call_duration_ms');
  const most = longest.number();
  if (most !== undefined) draft.agent.max_duration_s = draft.bounded(longest, most / 1000, CALL_SECONDS);
  const reminder = agent.at('reminder_trigger_ms');
  const after = reminder.number();
  if (after !== undefined) draft.idle({ ask_after_s: draft.bounded(reminder, after / 1000, IDLE_SECONDS) });
  const times = agent.at('reminder_max_count').number();
  if (times !== undefined)
    draft.idle({ times: draft.bounded(agent.at('reminder_max_count'), times, [0, 10]) });
  const zone = agent.at('timezone').text();
  if (zone !== undefined) draft.agent.time_zone = zone;
}

function convertRecordSettings(draft: AgentDraft, agent: ExportReader): void {
  const storage = agent.at('data_storage_setting').text();
  if (storage === 'everything' || storage === 'everything_except_pii') draft.agent.recordings_enabled = true;
  for (const field of agent.at('post_call_analysis_data').items()) {
    const type = field.at('type').text();
    // Every call has a summary with outcome and mood anyway.
    if (type === 'system-presets') {
      field.whole();
      continue;
    }
    const name = field.at('name').text();
    if (name === undefined) throw new ImportError(`${field.path} has no name`);
    const description = field.at('description').text() ?? '';
    const choices = field.at('choices').texts();
    const schema = {
      type: type === 'enum' ? 'string' : type,
      ...(choices.length > 0 ? { enum: choices } : {}),
    };
    formField(draft, name, { ...schema, description }, field.at('required').flag() ?? false);
  }
}
