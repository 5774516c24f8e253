import type { AgentDraft } from './agent-draft.ts';
import { type ExportReader, ImportError } from './export-reader.ts';
import { CALL_SECONDS, convertLanguage, formField, IDLE_SECONDS, noteModel, noteVoice } from './settings.ts';
import { convertTool, convertTransfer, plainSchema } from './tools.ts';

const BOOKKEEPING = ['id', 'orgId', 'createdAt', 'updatedAt', 'isServerUrlSecretSet', 'latestVersion'];

export function fromVapi(draft: AgentDraft, file: ExportReader, voice: string | undefined): void {
  if (file.at('members').isThere)
    throw new ImportError('the file is a squad: export its assistants and import each separately');
  if (!file.at('model').isThere) throw new ImportError('the file is not a Vapi assistant: model is missing');
  file.skip(...BOOKKEEPING);
  draft.name(file.at('name').text(), 'From Vapi');
  convertGreeting(draft, file);
  convertModel(draft, file);
  noteVoice(draft, file.at('voice').at('voiceId'), voice);
  file.at('voice').skip('provider');
  convertTranscriber(draft, file.at('transcriber'));
  convertCallEnd(draft, file);
  convertRecordSettings(draft, file);
}

function convertGreeting(draft: AgentDraft, file: ExportReader): void {
  const mode = file.at('firstMessageMode');
  const said = mode.text();
  if (said === 'assistant-waits-for-user') file.skip('firstMessage');
  else draft.greeting(file.at('firstMessage'));
  if (said === 'assistant-speaks-first-with-model-generated-message')
    draft.change(mode.path, 'a greeting must be a fixed text');
}

function convertModel(draft: AgentDraft, file: ExportReader): void {
  const model = file.at('model');
  noteModel(draft, model.at('model'));
  model.skip('provider');
  for (const message of model.at('messages').items()) {
    const role = message.at('role');
    if (role.whole() === 'system') draft.persona(message.at('content').text() ?? '');
    else draft.change(message.path, 'only system messages are imported');
  }
  draft.persona(model.at('systemPrompt').text() ?? '');
  for (const tool of model.at('tools').items()) convertVapiTool(draft, tool, file);
  if (file.at('endCallFunctionEnabled').flag()) draft.builtin('end_call');
}

function convertVapiTool(draft: AgentDraft, tool: ExportReader, file: ExportReader): void {
  const type = tool.at('type').text();
  switch (type) {
    case 'endCall':
      draft.builtin('end_call');
      tool.at('function').skip('name', 'parameters');
      return;
    case 'dtmf':
      draft.builtin('send_keys');
      tool.at('function').skip('name', 'parameters');
      return;
    case 'sms':
      draft.builtin('send_message');
      tool.at('function').skip('name', 'parameters');
      return;
    case 'transferCall':
      convertTransfer(draft, tool, tool.at('destinations').items().flatMap(reasonOf));
      tool.at('function').skip('name', 'parameters');
      return;
    case 'function':
      convertFunction(draft, tool, file);
      return;
    case 'apiRequest':
      convertApiRequest(draft, tool);
      return;
  }
}

function reasonOf(destination: ExportReader): string[] {
  if (destination.at('type').text() !== 'number') return [];
  return [destination.at('description').text() ?? ''];
}

function convertFunction(draft: AgentDraft, tool: ExportReader, file: ExportReader): void {
  const [about, server] = [tool.at('function'), tool.at('server')];
  const seconds = server.at('timeoutSeconds').number();
  convertTool(draft, {
    at: tool,
    name: about.at('name').text(),
    description: about.at('description').text(),
    parameters: about.at('parameters').whole(),
    url: server.at('url').text() ?? file.at('server').at('url').text(),
    headers: server.at('headers'),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  });
}

function convertApiRequest(draft: AgentDraft, tool: ExportReader): void {
  const method = tool.at('method').text();
  if (method !== 'POST') {
    draft.change(tool.path, `a webhook tool must use POST, not ${method}; it was not imported`);
    return;
  }
  const seconds = tool.at('timeoutSeconds').number();
  convertTool(draft, {
    at: tool,
    name: tool.at('name').text() ?? tool.at('function').at('name').text(),
    description: tool.at('description').text(),
    parameters: tool.at('body').whole(),
    url: tool.at('url').text(),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  });
}

function convertTranscriber(draft: AgentDraft, transcriber: ExportReader): void {
  transcriber.skip('provider', 'model');
  convertLanguage(draft, transcriber.at('language'));
  // A keyword may include a weight: `Acme:2`.
  const keywords = transcriber
    .at('keywords')
    .texts()
    .map((word) => word.replace(/:-?[\d.]+$/, ''));
  draft.vocabulary([...keywords, ...transcriber.at('keyterm').texts()]);
}

function convertCallEnd(draft: AgentDraft, file: ExportReader): void {
  const longest = file.at('maxDurationSeconds');
  const seconds = longest.number();
  if (seconds !== undefined) draft.agent.max_duration_s = draft.bounded(longest, seconds, CALL_SECONDS);
  const wait = file.at('startSpeakingPlan').at('waitSeconds');
  const timeout = wait.number();
  if (timeout !== undefined) draft.agent.endpointing = draft.bounded(wait, timeout * 1000, [100, 3000]);
  draft.phrase('farewell', file.at('endCallMessage'));
  convertSilence(draft, file.at('silenceTimeoutSeconds'), file.at('messagePlan'));
}

function convertSilence(draft: AgentDraft, silence: ExportReader, idle: ExportReader): void {
  const silent = silence.number();
  const after = idle.at('idleTimeoutSeconds').number();
  if (silent === 0) draft.idle({ hang_up: false, ...(after === undefined ? { times: 0 } : {}) });
  else if (silent !== undefined && after === undefined)
    draft.idle({ ask_after_s: draft.bounded(silence, silent, IDLE_SECONDS), times: 0, hang_up: true });
  if (silent === 0) draft.change(silence.path, '0 was imported as never: silence does not end a call');
  else if (silent !== undefined && after !== undefined)
    draft.change(silence.path, `${silent} s was not imported: messagePlan ends a call after its questions`);
  if (after !== undefined)
    draft.idle({ ask_after_s: draft.bounded(idle.at('idleTimeoutSeconds'), after, IDLE_SECONDS) });
  const times = idle.at('idleMessageMaxSpokenCount').number();
  if (times !== undefined)
    draft.idle({ times: draft.bounded(idle.at('idleMessageMaxSpokenCount'), times, [0, 10]) });
  const [first] = idle.at('idleMessages').items();
  if (first !== undefined) draft.phrase('still_there', first);
}

function convertRecordSettings(draft: AgentDraft, file: ExportReader): void {
  const recorded =
    file.at('artifactPlan').at('recordingEnabled').flag() ?? file.at('recordingEnabled').flag();
  if (recorded === true) draft.agent.recordings_enabled = true;
  const plan = file.at('analysisPlan').at('structuredDataPlan');
  const isOn = plan.at('enabled').flag() ?? true;
  const form = plan.at('schema');
  if (!isOn || !form.isThere) return;
  const required = form.at('required').texts();
  for (const [name, field] of form.at('properties').entries())
    formField(draft, name, plainSchema(field.whole()), required.includes(name));
  form.skip('type');
}
