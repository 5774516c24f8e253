import Type from 'typebox';
import { setting, text, url } from './setting.ts';

export const BRAIN_SETTINGS = {
  brainUrl: setting(
    url('http', 'https'),
    null,
    'The base URL of an OpenAI-compatible language model. If unset, the built-in responder answers.',
    'url',
  ),
  brainKey: setting(text, null, 'The API key of the language model, sent as a bearer token.', 'whole'),
  brainHeaders: setting(
    text,
    null,
    'A JSON object of HTTP headers to send to the language model, such as `{"api-key": "…"}` for Azure.',
    'whole',
  ),
  brainModel: setting(text, null, 'The name of the model to request from the language model.'),
  brainGguf: setting(
    text,
    null,
    'The path of a GGUF model that runs on this machine, in its own process. It answers when BRAIN_URL is unset or fails. `npx trunkline brain install` installs the runtime for it. A model added with `npx trunkline brain add FILE` does not need this setting.',
  ),
  brainGgufCalls: setting(
    Type.Integer({ minimum: 1, maximum: 64 }),
    4,
    'The number of calls for which a GGUF model keeps its context, which is also the number of answers that it generates at once. Each context uses additional memory.',
  ),
  brainGgufTokensPerSecond: setting(
    Type.Number({ minimum: 0, maximum: 1_000 }),
    6,
    'The minimum number of tokens per second for each answer of a GGUF model. If, by the measured speed, one more answer would slow the others below it, that answer goes to the next brain. Speech needs about four; 0 turns the limit off.',
  ),
};
