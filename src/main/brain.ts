import { type Brain, createBrainChain, createChatEndpoint, createResponder } from '../brain/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Log } from '../platform/log.ts';

/** The language model that the operator configured, with the built-in responder behind it: the line is never silent. */
export function openBrain(config: Config, log: Log): Brain {
  const responder = createResponder();
  if (config.brainUrl === null) return responder;
  const endpoint = createChatEndpoint({
    url: config.brainUrl,
    model: config.brainModel ?? '',
    ...(config.brainKey === null ? {} : { key: config.brainKey }),
  });
  return createBrainChain([endpoint, responder], {
    onFault: (brain, error) =>
      log.warn({ brain, fault: error.fault, reason: error.message }, 'a brain failed'),
  });
}
