import { AGENT_LANGUAGE_WORDS } from '../../language/text/index.ts';
import type { Interlude, InterludeStep } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

export class LanguageInterlude implements Interlude {
  readonly #language: ServedLanguage;
  readonly #change: () => Promise<boolean>;

  constructor(language: ServedLanguage, change: () => Promise<boolean>) {
    this.#language = language;
    this.#change = change;
  }

  begin(): InterludeStep {
    const { name } = AGENT_LANGUAGE_WORDS[this.#language];
    const done = this.#change()
      .catch(() => false)
      .then(
        (changed): InterludeStep => ({
          kind: 'done',
          message: changed
            ? `(switch_language) The call goes on in ${name}. Answer the caller in ${name}.`
            : `(switch_language) The call cannot go on in ${name}.`,
        }),
      );
    return { kind: 'work', say: null, done };
  }

  take(): InterludeStep {
    return { kind: 'wait' };
  }
}
