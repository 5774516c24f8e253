import type { AgentDraft } from './agent-draft.ts';
import { type ExportReader, ImportError } from './export-reader.ts';
import { CALL_SECONDS, convertLanguage, formField, IDLE_SECONDS, noteModel, noteVoice } from './settings.ts';
import { convertTool, convertTransfer } from './tools.ts';

const BOOKKEEPING = [
  'agent_id',
  'metadata',
  'access_info',
  'tags',
  'version_id',
  'branch_id',
  'main_branch_id',
];
const EAGERNESS: Readonly<Record<string, string>> = { eager: 'quick', normal: 'normal', patient: 'patient' };

export function fromElevenLabs(draft: AgentDraft, file: ExportReader, voice: string | undefined): void {
  const config = file.at('conversation_config');
  const agent = config.at('agent');
  if (!agent.isThere)
    throw new ImportError('the file is not an ElevenLabs agent: conversation_config.agent is missing');
  file.skip(...BOOKKEEPING);
  draft.name(file.at('name').text(), 'From ElevenLabs');
  draft.greeting(agent.at('first_message'));
  convertLanguage(draft, agent.at('language'));
  convertPrompt(draft, agent.at('prompt'));
  noteVoice(draft, config.at('tts').at('voice_id'), voice);
  config.at('asr').skip('quality', 'provider', 'user_input_audio_format');
  draft.vocabulary(config.at('asr').at('keywords').texts());
  convertTurnSettings(draft, config);
  convertSettings(draft, file.at('platform_settings'));
}

function convertPrompt(draft: AgentDraft, prompt: ExportReader): void {
  draft.persona(prompt.at('prompt').text() ?? '');
  noteModel(draft, prompt.at('llm'));
  const zone = prompt.at('timezone').text();
  if (zone !== undefined) draft.agent.time_zone = zone;
  for (const [name, tool] of prompt.at('built_in_tools').entries())
    if (tool.isThere) convertSystemTool(draft, name, tool);
  for (const tool of prompt.at('tools').items()) convertElevenLabsTool(draft, tool);
}

function convertElevenLabsTool(draft: AgentDraft, tool: ExportReader): void {
  switch (tool.at('type').text()) {
    case 'system':
      convertSystemTool(draft, String(tool.at('params').at('system_tool_type').whole()), tool);
      return;
    case 'client':
      convertTool(draft, { ...about(tool), parameters: tool.at('parameters').whole() });
      return;
    case 'webhook':
      convertWebhook(draft, tool);
      return;
  }
}

function about(tool: ExportReader) {
  const seconds = tool.at('response_timeout_secs').number();
  return {
    at: tool,
    name: tool.at('name').text(),
    description: tool.at('description').text(),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  };
}

function convertWebhook(draft: AgentDraft, tool: ExportReader): void {
  const api = tool.at('api_schema');
  const method = api.at('method').text() ?? 'GET';
  const hasMore = api.at('path_params_schema').isThere || api.at('query_params_schema').isThere;
  if (method !== 'POST' || hasMore) {
    tool.whole();
    draft.change(
      tool.path,
      `a webhook tool must use POST with a body, not ${method} with parameters; it was not imported`,
    );
    return;
  }
  convertTool(draft, {
    ...about(tool),
    parameters: api.at('request_body_schema').whole(),
    url: api.at('url').text(),
    headers: api.at('request_headers'),
  });
  api.skip('content_type');
}

function convertSystemTool(draft: AgentDraft, kind: string, tool: ExportReader): void {
  tool.skip('type', 'name', 'response_timeout_secs');
  tool.at('params').skip('system_tool_type');
  switch (kind) {
    case 'end_call':
      draft.builtin('end_call');
      return;
    case 'play_keypad_touch_tone':
      draft.builtin('send_keys');
      return;
    case 'skip_turn':
      draft.builtin('wait_for');
      return;
    case 'transfer_to_number':
      convertTransfer(draft, tool, tool.at('params').at('transfers').items().flatMap(reasonOf));
      return;
  }
  draft.change(tool.path, `${kind} is not supported; it was not imported`);
}

/** Returns an empty list where the target is no number, because a SIP address has no counterpart. */
function reasonOf(transfer: ExportReader): string[] {
  const to = transfer.at('transfer_destination');
  if (!to.at('phone_number').isThere && !transfer.at('phone_number').isThere) return [];
  to.skip('type');
  return [transfer.at('condition').text() ?? ''];
}

function convertTurnSettings(draft: AgentDraft, config: ExportReader): void {
  const turn = config.at('turn');
  const eagerness = turn.at('turn_eagerness').text() ?? '';
  if (Object.hasOwn(EAGERNESS, eagerness)) draft.agent.endpointing = EAGERNESS[eagerness];
  const wait = turn.at('turn_timeout');
  const seconds = wait.number();
  // ElevenLabs uses -1 for never.
  if (seconds !== undefined && seconds > 0)
    draft.idle({ ask_after_s: draft.bounded(wait, seconds, IDLE_SECONDS) });
  const longest = config.at('conversation').at('max_duration_seconds');
  const most = longest.number();
  if (most !== undefined) draft.agent.max_duration_s = draft.bounded(longest, most, CALL_SECONDS);
}

function convertSettings(draft: AgentDraft, settings: ExportReader): void {
  if (settings.at('privacy').at('record_voice').flag()) draft.agent.recordings_enabled = true;
  for (const [name, field] of settings.at('data_collection').entries()) {
    const type = field.at('type').text() ?? 'string';
    formField(draft, name, { type, description: field.at('description').text() ?? '' });
  }
}
