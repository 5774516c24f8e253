export interface PersonaModel {
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
}

interface PersonaHeard {
  readonly role: string;
  readonly text: string;
  readonly final: boolean;
}

const DONE = 'DONE';

export class Persona {
  readonly #model: PersonaModel;

  constructor(model: PersonaModel) {
    this.#model = model;
  }

  async next(
    { who, goal }: { who: string; goal: string },
    heard: readonly PersonaHeard[],
  ): Promise<string | null> {
    const { url, model, key } = this.#model;
    const instructions = `You play a person on the telephone, never the agent. You are ${who}. You want: ${goal}. Answer with the one or two sentences that you say next, and nothing else. When you have what you want or cannot get it, answer ${DONE}.`;
    const talk = heard
      .filter(({ final, text }) => final && text !== '')
      .map(({ role, text }) => ({ role: role === 'agent' ? 'user' : 'assistant', content: text }));
    const first = talk.length === 0 ? [{ role: 'user', content: '(the line is open)' }] : [];
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        messages: [{ role: 'system', content: instructions }, ...first, ...talk],
      }),
    });
    if (!response.ok) throw new Error(`the model that plays the caller answered ${response.status}`);
    const { choices } = (await response.json()) as { choices: { message: { content: string | null } }[] };
    const line = choices[0]?.message.content?.trim() ?? '';
    return line === '' || line.includes(DONE) ? null : line;
  }
}
