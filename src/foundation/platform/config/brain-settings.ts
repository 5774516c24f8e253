import Type from 'typebox';
import { setting, text, url } from './setting.ts';

export const BRAIN_SETTINGS = {
  brainUrl: setting(
    url('http', 'https'),
    null,
    'Base URL of an OpenAI-compatible language model; without it the built-in responder.',
    'url',
  ),
  brainKey: setting(text, null, 'Bearer key of the language model.', 'whole'),
  brainHeaders: setting(
    text,
    null,
    'JSON object of headers that the language model wants, `{"api-key": "…"}` for Azure.',
    'whole',
  ),
  brainModel: setting(text, null, 'Model name to ask the language model for.'),
  brainGguf: setting(
    text,
    null,
    'Path of a GGUF model that answers on this machine, in a process of its own: where BRAIN_URL fails, or without it. `npx trunkline brain install` fetches what it runs in; `npx trunkline brain add FILE` needs no setting.',
  ),
  brainGgufCalls: setting(
    Type.Integer({ minimum: 1, maximum: 64 }),
    4,
    'Of how many calls a GGUF model keeps what it has read, and how many answers it gives at once. Each takes memory for a context of its own.',
  ),
  brainGgufTokensPerSecond: setting(
    Type.Number({ minimum: 0, maximum: 1_000 }),
    6,
    'An answer that would leave those of a GGUF model fewer tokens a second, by what was measured, goes to the next brain. Speech needs some four; 0 admits all.',
  ),
};
