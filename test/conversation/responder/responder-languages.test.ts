import { describe, expect, it } from 'vitest';
import type {
  BrainEvent,
  BrainLanguage,
  BrainMessage,
  BrainRequest,
} from '../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../src/conversation/responder/index.ts';
import { AGENT_LANGUAGE_WORDS } from '../../../src/language/text/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const responder = createResponder({ clock: new ManualClock() });

interface Speaker {
  readonly language: BrainLanguage;
  readonly greet: string;
  readonly thank: string;
  readonly end: string;
  readonly human: string;
  readonly repeat: string;
  readonly who: string;
  readonly persona: string;
  readonly isWho: string;
  readonly whatAreYou: readonly string[];
  readonly noHuman: readonly string[];
  readonly understood: readonly string[];
  readonly unknown: string;
  readonly message: readonly [yes: string, message: string];
}

const SPEAKERS: readonly Speaker[] = [
  {
    language: 'en',
    greet: 'Hello there',
    thank: 'Thanks a lot',
    end: 'Thank you, goodbye.',
    human: 'Can I talk to a real person?',
    repeat: 'What did you say?',
    who: 'Are you a robot?',
    persona: 'You are Maya of Blue Dental.',
    isWho: 'I am Maya of Blue Dental.',
    whatAreYou: [
      'Are you a human?',
      'Are you an AI?',
      'Are you a real person?',
      'Am I talking to a machine?',
      'Is this a recording?',
    ],
    noHuman: [
      'I do not want to talk to a person',
      "Please don't connect me to an agent",
      'I would rather not speak to someone',
      'Can someone put me on the list?',
      'I talked to an agent yesterday',
      'I want to talk about the person who called me',
    ],
    understood: ['Yes.', 'Okay.', 'Right.', 'Stop.', 'No.'],
    unknown: 'Do you repair bicycles?',
    message: ['Yes please', 'This is Ann, my boiler is broken, call me back on 555 0142.'],
  },
  {
    language: 'es',
    greet: '¡Buenos días!',
    thank: 'Muchas gracias.',
    end: 'Gracias, adiós.',
    human: 'Quiero hablar con una persona',
    repeat: '¿Puede repetir eso?',
    who: '¿Con quién hablo?',
    persona: 'Eres Lucía, de la clínica Azul.',
    isWho: 'Soy Lucía, de la clínica Azul.',
    whatAreYou: ['¿Eres una persona?', '¿Es usted un robot?', '¿Estoy hablando con una máquina?'],
    noHuman: ['No quiero hablar con una persona', 'No me pase con un agente'],
    understood: ['Sí.', 'Vale.'],
    unknown: '¿Reparan bicicletas?',
    message: ['Sí, por favor', 'Soy Ana, se ha roto mi caldera.'],
  },
  {
    language: 'fr',
    greet: 'Bonjour !',
    thank: 'Merci beaucoup.',
    end: 'Merci, au revoir.',
    human: "Je voudrais parler à quelqu'un",
    repeat: 'Pouvez-vous répéter ?',
    who: 'Qui êtes-vous ?',
    persona: 'Vous êtes Claire, de la clinique Bleue.',
    isWho: 'Je suis Claire, de la clinique Bleue.',
    whatAreYou: ['Êtes-vous un robot ?', 'Vous êtes une vraie personne ?', 'Je parle à une machine ?'],
    noHuman: ['Je ne veux pas parler à une personne', "Pas besoin de me passer quelqu'un"],
    understood: ['Oui.', "D'accord."],
    unknown: 'Réparez-vous les vélos ?',
    message: ["Oui, s'il vous plaît", 'Ici Anne, ma chaudière est en panne.'],
  },
  {
    language: 'de',
    greet: 'Guten Tag!',
    thank: 'Vielen Dank.',
    end: 'Danke, auf Wiederhören.',
    human: 'Kann ich mit einem Mitarbeiter sprechen?',
    repeat: 'Wie bitte?',
    who: 'Wer sind Sie?',
    persona: 'Sie sind Anna von der Praxis Blau.',
    isWho: 'Ich bin Anna von der Praxis Blau.',
    whatAreYou: ['Sind Sie ein Mensch?', 'Sind Sie eine KI?', 'Spreche ich mit einem Computer?'],
    noHuman: ['Ich möchte nicht mit einem Menschen sprechen', 'Ich will keinen Mitarbeiter sprechen'],
    understood: ['Ja.', 'Genau.'],
    unknown: 'Reparieren Sie Fahrräder?',
    message: ['Ja, bitte', 'Hier ist Anne, meine Heizung ist kaputt.'],
  },
  {
    language: 'hi',
    greet: 'नमस्ते!',
    thank: 'बहुत धन्यवाद।',
    end: 'धन्यवाद, अलविदा।',
    human: 'मुझे किसी इंसान से बात करनी है',
    repeat: 'फिर से बोलिए',
    who: 'आप कौन हैं?',
    persona: 'आप रिया हैं।',
    isWho: 'मैं रिया हूँ।',
    whatAreYou: ['क्या आप रोबोट हैं?', 'क्या आप इंसान हैं?', 'क्या मैं मशीन से बात कर रहा हूँ?'],
    noHuman: ['मुझे किसी इंसान से बात नहीं करनी'],
    understood: ['हाँ।', 'ठीक है।'],
    unknown: 'क्या आप साइकिल ठीक करते हैं?',
    message: ['जी हाँ', 'मैं अनीता हूँ, मेरा हीटर ख़राब है।'],
  },
];

async function ask(
  speaker: Speaker,
  said: string | BrainMessage[],
  extra: Partial<BrainRequest> = {},
): Promise<BrainEvent[]> {
  const events: BrainEvent[] = [];
  const request: BrainRequest = {
    language: speaker.language,
    persona: speaker.persona,
    messages: typeof said === 'string' ? [{ role: 'user', content: said }] : said,
    tools: [],
    passages: [],
    ...extra,
  };
  for await (const event of responder.respond(request, new AbortController().signal)) events.push(event);
  return events;
}

const textOf = (events: readonly BrainEvent[]): string =>
  events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
const memoryOf = (events: readonly BrainEvent[]): unknown =>
  events.findLast((event) => event.kind === 'memory')?.memory;

describe.each(SPEAKERS)('in $language', (speaker) => {
  const phrases = AGENT_LANGUAGE_WORDS[speaker.language].phrases;

  it('greets, takes thanks, says who it is, repeats, and admits what it does not know', async () => {
    expect(textOf(await ask(speaker, speaker.greet))).toBe(phrases.greeting);
    expect(textOf(await ask(speaker, speaker.thank))).toBe(phrases.thanks);
    expect(textOf(await ask(speaker, speaker.who))).toBe(`${speaker.isWho} ${phrases.automated}`);
    expect(textOf(await ask(speaker, speaker.unknown))).toBe(phrases.unknown);
    const heard: BrainMessage[] = [
      { role: 'assistant', content: speaker.isWho },
      { role: 'user', content: speaker.repeat },
    ];
    expect(textOf(await ask(speaker, heard))).toBe(speaker.isWho);
  });

  it('says that it is automated when asked for a person, a robot or a machine', async () => {
    for (const asked of speaker.whatAreYou)
      expect(textOf(await ask(speaker, asked))).toBe(`${speaker.isWho} ${phrases.automated}`);
  });

  it('hands over to nobody who does not want it', async () => {
    for (const said of speaker.noHuman)
      expect((await ask(speaker, said)).map(({ kind }) => kind)).not.toContain('action');
  });

  it('takes a sign of having understood for one, in mid-call', async () => {
    for (const said of speaker.understood) {
      const talk: BrainMessage[] = [
        { role: 'assistant', content: speaker.isWho },
        { role: 'user', content: said },
      ];
      expect(textOf(await ask(speaker, talk))).toBe(phrases.goOn);
    }
  });

  it('ends and hands over when it is asked to', async () => {
    expect(await ask(speaker, speaker.end)).toEqual([
      { kind: 'text', text: phrases.farewell },
      { kind: 'action', action: 'end_call' },
    ]);
    expect(await ask(speaker, speaker.human)).toEqual([
      { kind: 'text', text: phrases.handOver },
      { kind: 'action', action: 'hand_over' },
    ]);
  });

  it('takes a message, and calls no tool for it', async () => {
    const tools = [{ name: 'take_message', description: speaker.unknown, parameters: { type: 'object' } }];
    const [yes, message] = speaker.message;
    const offered = await ask(speaker, speaker.unknown, { tools });
    expect(textOf(offered)).toBe(phrases.unknown);
    const asked = await ask(speaker, yes, { tools, memory: memoryOf(offered) });
    expect(textOf(asked)).toBe(phrases.leaveMessage);
    const taken = await ask(speaker, message, { tools, memory: memoryOf(asked) });
    expect(textOf(taken)).toBe(phrases.messageTaken);
    expect([...offered, ...asked, ...taken].map(({ kind }) => kind)).not.toContain('tool_call');
    const after = await ask(speaker, speaker.thank, { tools, memory: memoryOf(taken) });
    expect(textOf(after)).toBe(phrases.thanks);
  });
});
