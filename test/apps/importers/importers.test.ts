// @requirement Importers: Agents of Vapi, ElevenLabs and Retell are imported, and what has no counterpart is listed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type ConvertedAgent,
  convertAgent,
  type ExportedFile,
  type Platform,
} from '../../../src/apps/importers/index.ts';

const file = (name: string): ExportedFile => ({
  name,
  text: readFileSync(join(import.meta.dirname, 'exported', name), 'utf8'),
});
const moved = (platform: Platform, body: object): ConvertedAgent =>
  convertAgent(platform, [{ name: 'x.json', text: JSON.stringify(body) }]);
const vapi = (more: object = {}) => ({
  model: { provider: 'openai', model: 'gpt-4o', messages: [] },
  ...more,
});

it('makes an agent of an assistant of Vapi', () => {
  const { agent, tools, changed, left } = convertAgent('vapi', [file('vapi.json')]);
  expect(agent).toEqual({
    name: 'Acme Dental',
    greeting: 'Acme Dental, this is Maya. How can I help, {{name}}?',
    persona:
      'You are Maya of Acme Dental. The practice is open from nine to five.\n\nYou can transfer the call for:\n- billing questions',
    language: 'en',
    builtin_tools: ['end_call', 'transfer'],
    vocabulary: ['Acme', 'Invisalign'],
    max_duration_s: 14_400,
    endpointing: 600,
    phrases: { farewell: 'Goodbye, and take care.', still_there: 'Are you still there?' },
    idle: { ask_after_s: 15, times: 2 },
    recordings_enabled: true,
    extraction_schema: {
      type: 'object',
      properties: { reason: { type: 'string' }, new_patient: { type: 'boolean' } },
      required: ['reason'],
    },
  });
  expect(tools).toEqual([
    {
      name: 'book_visit',
      kind: 'webhook',
      description: 'Books a visit',
      parameters: {
        type: 'object',
        properties: { day: { type: 'string', description: 'ISO date' } },
        required: ['day'],
      },
      url: 'https://acme.example.com/vapi',
      headers: { 'x-acme': 'secret' },
      timeout_ms: 20_000,
    },
  ]);
  expect(changed).toEqual([
    expect.stringMatching(/^model.model: gpt-4o is not available/),
    expect.stringMatching(/^model.tools\[1\]: numbers were not imported, .* the fallback of its own number/),
    'model.tools[2]: book visit was renamed to book_visit',
    expect.stringMatching(/^model.tools\[2\]: acme.example.com receives the request body/),
    expect.stringMatching(/^model.tools\[3\]: a webhook tool must use POST, not GET/),
    expect.stringMatching(/^voice.voiceId: sarah is not available; the agent uses the account’s voice/),
    'maxDurationSeconds: 43200 was changed to 14400',
    expect.stringMatching(/^variables: set name for each telephone call/),
  ]);
  expect(left).toEqual([
    'model.temperature',
    'model.toolIds',
    'model.tools[1].destinations[0].number',
    'model.tools[1].destinations[0].message',
    'model.tools[3].name',
    'model.tools[3].url',
    'voice.stability',
    'voice.similarityBoost',
    'backgroundSound',
    'endCallPhrases',
    'startSpeakingPlan.smartEndpointingPlan',
    'stopSpeakingPlan',
    'server',
  ]);
});

it('makes an agent of one of ElevenLabs', () => {
  const { agent, tools, changed, left } = convertAgent('elevenlabs', [file('elevenlabs.json')], 'alex_es_es');
  expect(agent).toMatchObject({
    language: 'es',
    greeting: 'Acme Dental, soy Maya.',
    persona: expect.stringMatching(/^Eres Maya[^+]*- facturas$/s),
    voice_id: 'alex_es_es',
    time_zone: 'Europe/Madrid',
    endpointing: 'patient',
    idle: { ask_after_s: 12 },
    max_duration_s: 600,
    recordings_enabled: true,
    vocabulary: ['Invisalign'],
    builtin_tools: ['end_call', 'transfer'],
    extraction_schema: { properties: { reason: { type: 'string', description: 'why the person calls' } } },
  });
  expect(tools.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['book_visit webhook', 'show_map client']);
  expect(tools[0]).not.toHaveProperty('headers');
  expect(tools[0]?.parameters).toEqual({
    type: 'object',
    required: ['day'],
    properties: {
      day: { type: 'string', description: 'ISO date' },
      shop: { type: 'string', description: '' },
    },
  });
  const reported = changed.join('\n');
  expect(reported).toContain('voicemail_detection is not supported; it was not imported');
  expect(reported).toContain('the model provides the constants and variables among the arguments');
  expect(reported).toMatch(/request_headers\.x-acme: the header was not imported/);
  expect(reported).toMatch(/tools\[2\]: a webhook tool must use POST with a body, not GET/);
  expect(reported).toContain('variables: set system__time for each telephone call');
  expect(reported).toMatch(/voice_id: JBFqnCBsd6RMkjVDRZzb is not available; the agent uses alex_es_es/);
  expect(left).toContain('conversation_config.agent.prompt.knowledge_base');
  expect(left).toContain('platform_settings.widget');
  expect(left.join()).not.toContain('metadata');
});

it('makes an agent of one of Retell, from the two files of its API and from one', () => {
  const files = [file('retell-agent.json'), file('retell-llm.json')];
  const found = convertAgent('retell', files);
  const { agent, tools, changed, left } = found;
  expect(agent).toMatchObject({
    language: 'de',
    greeting: 'Acme Dental, hier ist Maya.',
    barge_sensitivity: 'normal',
    endpointing: 'quick',
    idle: { ask_after_s: 10, times: 2 },
    max_duration_s: 3600,
    time_zone: 'Europe/Berlin',
    builtin_tools: ['end_call', 'send_keys', 'transfer'],
    extraction_schema: {
      properties: { reason: { type: 'string', enum: ['visit', 'bill'] }, visits: { type: 'number' } },
      required: ['reason'],
    },
  });
  expect(tools).toMatchObject([
    { name: 'own_remember', timeout_ms: 30_000, headers: { 'x-acme': 'secret' } },
  ]);
  expect(changed.join('\n')).toContain('an agent has one language; the first one was imported');
  for (const path of [
    'general_tools[4].cal_api_key',
    'states',
    'knowledge_base_ids',
    'ambient_sound',
    'webhook_url',
  ])
    expect(left).toContain(path);
  expect([...changed, ...left].join('\n')).not.toContain('cal_live_secret');
  expect(convertAgent('retell', [...files].reverse())).toEqual({ ...found, left: expect.any(Array) });
  const one = { ...JSON.parse(files[0]!.text), retellLlmData: JSON.parse(files[1]!.text) };
  expect(moved('retell', one)).toMatchObject({ agent, tools });
});

it.each<[string, Platform, string, RegExp]>([
  ['no JSON', 'vapi', '{"model":', /^x\.json: not valid JSON/],
  ['a list', 'vapi', '[]', /not a JSON object/],
  ['what nests too deep', 'vapi', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, /more than 64 levels/],
  ['too much', 'vapi', JSON.stringify({ a: 'x'.repeat(2_000_001) }), /at most 2000000 characters/],
  [
    'another platform’s',
    'vapi',
    '{"conversation_config": {"agent": {"language": "en"}}}',
    /not a Vapi assistant/,
  ],
  ['a squad', 'vapi', '{"members": [{"assistantId": "1"}]}', /a squad/],
  ['an assistant', 'elevenlabs', JSON.stringify(vapi()), /not an ElevenLabs agent/],
  ['an assistant', 'retell', JSON.stringify(vapi()), /not a Retell agent/],
  ['a flow', 'retell', '{"response_engine": {"type": "conversation-flow"}}', /not conversation-flow/],
  ['an agent without its prompt', 'retell', '{"response_engine": {"type": "retell-llm"}}', /another file/],
  ['a number for text', 'vapi', JSON.stringify(vapi({ firstMessage: 7 })), /^firstMessage must be a string/],
  ['a text for a list', 'vapi', '{"model": {"tools": "all"}}', /^model\.tools must be a list/],
  ['a text for an object', 'vapi', JSON.stringify(vapi({ voice: 'sarah' })), /^voice must be an object/],
  [
    'a prompt too long',
    'vapi',
    JSON.stringify(vapi({ model: { systemPrompt: 'x'.repeat(16_001) } })),
    /16001 characters/,
  ],
  [
    'a greeting too long',
    'vapi',
    JSON.stringify(vapi({ firstMessage: 'x'.repeat(1001) })),
    /1001 characters/,
  ],
  [
    'two tools of one name',
    'vapi',
    JSON.stringify({
      model: { tools: ['a b', 'a_b'].map((name) => ({ type: 'function', function: { name } })) },
    }),
    /two tools have the name a_b/,
  ],
])('refuses %s for %s', (_what, platform, text, said) => {
  expect(() => convertAgent(platform, [{ name: 'x.json', text }])).toThrow(said);
});

it('takes names that objects have for names alone', () => {
  const text =
    '{"model": {"provider": "x"}, "__proto__": {"name": "Eve"}, "constructor": "a", "hasOwnProperty": 1}';
  const { agent, left } = convertAgent('vapi', [{ name: 'x.json', text }]);
  expect(agent).toEqual({ name: 'From Vapi', persona: '' });
  expect(left).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
});

it('says of a language that nobody speaks here that English is spoken', () => {
  const { agent, changed } = moved('vapi', vapi({ transcriber: { language: 'ja' } }));
  expect(agent).not.toHaveProperty('language');
  expect(changed.join()).toContain('ja is not supported');
});

const phone = '+14155550111';

it.each<[Platform, object, string]>([
  [
    'vapi',
    vapi({
      model: {
        tools: [
          {
            type: 'transferCall',
            destinations: [{ type: 'number', number: phone, description: `to ${phone}` }],
          },
        ],
      },
    }),
    'model.tools[0].destinations[0].number',
  ],
  [
    'retell',
    {
      response_engine: { type: 'retell-llm' },
      retellLlmData: {
        general_prompt: 'You are Maya.',
        general_tools: [
          { type: 'transfer_call', transfer_destination: { type: 'predefined', number: phone } },
        ],
      },
    },
    'retellLlmData.general_tools[0].transfer_destination.number',
  ],
])('puts no number of a transfer of %s into what may be read aloud', (platform, body, path) => {
  const { agent, changed, left } = moved(platform, body);
  expect(JSON.stringify({ agent, changed, left })).not.toContain(phone);
  expect(agent.builtin_tools).toEqual(['transfer']);
  expect(left).toContain(path);
});

it('says of an original without a prompt that its agent knows nothing', () => {
  const retell = { response_engine: { type: 'retell-llm' }, retellLlmData: { begin_message: 'Hello.' } };
  for (const { changed } of [moved('vapi', vapi()), moved('retell', retell)])
    expect(changed.join('\n')).toContain('persona: the original has no prompt');
});

it('tells of each setting that is otherwise here, and names what it leaves', () => {
  const built = { end_call: { description: 'Only at night.', params: { system_tool_type: 'end_call' } } };
  const transfers = [{ transfer_destination: { type: 'sip_uri', sip_uri: 'sip:a@b.example.com' } }];
  const params = { system_tool_type: 'transfer_to_number', transfers };
  const prompt = { built_in_tools: { ...built, transfer_to_number: { params } } };
  const xi = moved('elevenlabs', { conversation_config: { agent: { prompt } } });
  const at = 'conversation_config.agent.prompt.built_in_tools';
  expect(xi.left).toContain(`${at}.end_call.description`);
  expect(xi.left.join('\n')).toContain(`${at}.transfer_to_number.params.transfers`);
  const silent = vapi({ silenceTimeoutSeconds: 30, messagePlan: { idleTimeoutSeconds: 8 } });
  const asked = moved('vapi', silent);
  expect(asked.agent.idle).toEqual({ ask_after_s: 8 });
  expect(asked.changed.join('\n')).toContain('silenceTimeoutSeconds: 30 s was not imported');
  const never = moved('vapi', vapi({ silenceTimeoutSeconds: 0 }));
  expect(never.agent.idle).toEqual({ times: 0, hang_up: false });
  expect(never.changed.join('\n')).toContain('silenceTimeoutSeconds: 0 was imported as never');
  const retell = {
    response_engine: { type: 'retell-llm' },
    retellLlmData: { general_prompt: 'Hi {{name}}.' },
  };
  const reported = moved('retell', { ...retell, interruption_sensitivity: 0 }).changed.join('\n');
  expect(reported).toContain('interruption_sensitivity: 0 was imported as low');
  expect(reported).toContain(
    'set name for each telephone call; in other calls, the placeholder is spoken unchanged',
  );
});

it('reads an export of two megabytes, and what is left of it, in little time', () => {
  const general_tools = Array.from({ length: 17_000 }, (_, at) => ({
    type: 'end_call',
    name: `end_${at}`,
    description: 'Ends the call',
    extra: { at, deep: { note: 'unread' } },
  }));
  const before = process.cpuUsage();
  const { left } = moved('retell', {
    response_engine: { type: 'retell-llm' },
    retellLlmData: { general_prompt: 'Hi.', general_tools },
  });
  const { user, system } = process.cpuUsage(before);
  expect(left).toHaveLength(2 * general_tools.length);
  expect(left).toContain('retellLlmData.general_tools[16999].extra');
  expect((user + system) / 1000).toBeLessThan(3_000);
});

it('tells no secret of a URL', () => {
  const url = 'https://user:pass-word@acme.example.com/x?token=abc123';
  const tools = [{ type: 'function', function: { name: 'a' }, server: { url } }];
  const { changed, left } = moved('vapi', vapi({ model: { systemPrompt: 'a', tools } }));
  expect(changed.join('\n')).toContain('acme.example.com receives');
  expect([...changed, ...left].join('\n')).not.toMatch(/pass-word|abc123/);
});
