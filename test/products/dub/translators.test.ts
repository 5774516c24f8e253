// @requirement Dub: Translators are Apertium, Whisper and a language model, with pivots and a glossary.
// @requirement Dub: `/healthz/dub` lists the directions, and any other is `unsupported_direction`.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createChatEndpoint } from '../../../src/conversation/brains/index.ts';
import {
  ApertiumTranslator,
  ModelTranslator,
  TARGETS,
  TRIAL,
  TranslationDirections,
  type Translator,
} from '../../../src/products/dub/index.ts';
import { passes } from '../../../src/products/dub/translators/contract.ts';
import { maskTerms, missingTerms } from '../../../src/products/dub/translators/glossary.ts';
import {
  chatChunk,
  type Script,
  ScriptedEndpoint,
} from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const MODES = '/usr/share/apertium/modes';
const signal = new AbortController().signal;
const plain = { before: '', glossary: {}, mostCharacters: null, sound: null };

describe.skipIf(!existsSync(join(MODES, 'eng-spa.mode')))('Apertium', { timeout: 60_000 }, () => {
  const translator = new ApertiumTranslator(MODES);

  it('translates by what is installed, and says where another language lies between', async () => {
    const offers = await translator.offers(signal);
    expect(offers).toContainEqual({ source: 'en', target: 'es', via: null });
    if (existsSync(join(MODES, 'es-fr.mode')))
      expect(offers).toContainEqual({ source: 'en', target: 'fr', via: 'es' });
    const offer = { source: 'en', target: 'es', via: null };
    const text = 'Good morning. The house of my friends is very big.';
    const translated = await translator.translate(offer, { ...plain, text }, signal);
    expect(translated).toContain('casa');
    expect(translated).not.toMatch(/[*@#]/);
  });

  it('keeps a glossary, and takes markup for words', async () => {
    const offer = { source: 'en', target: 'es', via: null };
    const glossary = { Trunkline: 'Troncal', 'big house': 'Casa Grande' };
    const folder = mkdtempSync(join(tmpdir(), 'markup-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const made = join(folder, 'x');
    const text = `The big house of Trunkline has [brackets], \\ and ^marks$ $(touch ${made}) \`id\`.`;
    const translated = await translator.translate(offer, { ...plain, text, glossary }, signal);
    expect(translated).toContain('Troncal');
    expect(translated).toContain('Casa Grande');
    expect(missingTerms(text, translated, glossary)).toEqual([]);
    expect(existsSync(made)).toBe(false);
  });

  it('offers nothing where nothing is installed, or what is there does not work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'modes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(await new ApertiumTranslator(join(folder, 'none')).offers(signal)).toEqual([]);
    writeFileSync(join(folder, 'eng-spa.mode'), 'cat');
    writeFileSync(join(folder, 'spa-eng.mode'), 'exit 3');
    expect(await new ApertiumTranslator(folder).offers(signal)).toEqual([]);
  });
});

describe('a language model', () => {
  const answering = (answer: (asked: { persona: string; text: string }) => string): Script => {
    return ({ body }, response) => {
      const [system, user] = body.messages as { content: string }[];
      const { text } = JSON.parse(user!.content) as { text: string };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chatChunk({ content: answer({ persona: system!.content, text }) }));
      response.end(`${chatChunk({}, 'stop')}data: [DONE]\n\n`);
    };
  };
  const open: { close(): Promise<unknown> }[] = [];
  afterAll(() => Promise.all(open.map((one) => one.close())));

  async function translatorTo(script: Script) {
    const endpoint = await ScriptedEndpoint.start(script);
    const brain = createChatEndpoint({ url: endpoint.url, model: 'm' });
    open.push(brain, endpoint);
    return {
      translator: new ModelTranslator(brain, { sources: ['en', 'es'], targets: ['en', 'es'] }),
      endpoint,
    };
  }

  it('offers the targets into which it has translated', async () => {
    const { translator } = await translatorTo(
      answering(({ persona }) =>
        persona.includes('into Spanish') ? '{"translation": "La casa es grande."}' : 'I cannot do that.',
      ),
    );
    expect(await translator.offers(signal)).toEqual([{ source: 'en', target: 'es', via: null }]);
  });

  it('is probed in every target of the specification', () => {
    for (const target of TARGETS) expect(passes(TRIAL[target]?.sentence ?? '', target)).toBe(true);
  });

  it('finds the terms of a glossary where no space stands between words', () => {
    const glossary = { tap: '水龙头', Trunkline: 'Trunkline', art: 'アート' };
    const text = 'The tap of Trunkline is art.';
    expect(missingTerms(text, '这个Trunkline的水龙头是アートです', glossary)).toEqual([]);
    expect(missingTerms(text, '这个Trunklines的水管', glossary)).toEqual(['水龙头', 'Trunkline', 'アート']);
  });

  it('asks again for the terms that it lost, and gives up where they stay lost', async () => {
    const glossary = { tap: 'grifo' };
    const text = 'The tap drips.';
    const offer = { source: 'en', target: 'es', via: null };
    const learns = await translatorTo(
      answering(({ persona }) =>
        JSON.stringify({
          translation: persona.includes('left out: grifo') ? 'El grifo gotea.' : 'La llave gotea.',
        }),
      ),
    );
    expect(await learns.translator.translate(offer, { ...plain, text, glossary }, signal)).toBe(
      'El grifo gotea.',
    );
    expect(learns.endpoint.received).toHaveLength(2);
    const never = await translatorTo(answering(() => '{"translation": "La llave gotea."}'));
    await expect(never.translator.translate(offer, { ...plain, text, glossary }, signal)).rejects.toThrow(
      /grifo/,
    );
  });

  it('takes no answer that is none', async () => {
    const offer = { source: 'en', target: 'es', via: null };
    for (const answer of [
      'nonsense',
      '{"translation": ""}',
      '{"translation": 3}',
      `{"translation": "${'x'.repeat(500)}"}`,
    ]) {
      const { translator } = await translatorTo(answering(() => answer));
      await expect(translator.translate(offer, { ...plain, text: 'Yes.' }, signal)).rejects.toThrow(
        /no translation/,
      );
    }
  });

  it('says how short a wording is wanted', async () => {
    const { translator, endpoint } = await translatorTo(answering(() => '{"translation": "Sí."}'));
    const offer = { source: 'en', target: 'es', via: null };
    await translator.translate(offer, { ...plain, text: 'Yes indeed.', mostCharacters: 7 }, signal);
    expect(JSON.stringify(endpoint.received[0]?.body)).toContain('at most 7 characters');
  });
});

describe('the list of directions', () => {
  const offer = { source: 'en', target: 'es', via: null };
  class Switched implements Translator {
    readonly keepsGlossary = false;
    readonly shortens = false;
    readonly reads = 'text';
    readonly goodForMs = 3_600_000;
    works = true;
    tried = 0;
    readonly name: 'model' | 'apertium';
    constructor(name: 'model' | 'apertium') {
      this.name = name;
    }
    async offers() {
      this.tried += 1;
      return this.works ? [offer] : [];
    }
    async translate() {
      return '';
    }
  }

  it('holds a direction while a door for it works, and tries a door that failed again', async () => {
    const clock = new ManualClock();
    const [model, apertium] = [new Switched('model'), new Switched('apertium')];
    const directions = new TranslationDirections({
      translators: [model, apertium],
      clock,
      speaks: () => true,
    });
    expect(await directions.list()).toMatchObject([{ ...offer, by: 'model', others: ['apertium'] }]);
    model.works = false;
    directions.doubt(model, new Error('it died'));
    expect(await directions.list()).toMatchObject([{ by: 'apertium', others: [] }]);
    apertium.works = false;
    directions.doubt(apertium, new Error('it died'));
    expect(await directions.list()).toEqual([]);
    expect(await directions.routesOf(offer)).toEqual([]);
    model.works = true;
    expect(await directions.list()).toEqual([]);
    clock.advance(61_000);
    expect(await directions.list()).toMatchObject([{ by: 'model' }]);
    expect(model.tried).toBe(3);
  });

  it('lists no language that nobody speaks', async () => {
    const deps = { translators: [new Switched('model')], clock: new ManualClock(), speaks: () => false };
    expect(await new TranslationDirections(deps).list()).toEqual([]);
  });
});

describe('a glossary', () => {
  it('keeps whole words alone, the longer term first', () => {
    const masked = maskTerms('The art of the Art Fair is in article one.', {
      art: 'arte',
      'art fair': 'Feria',
    });
    expect(masked.text).not.toMatch(/\bart\b/i);
    expect(masked.text).toContain('article');
    expect(masked.unmask(masked.text)).toBe('The arte of the Feria is in article one.');
  });

  it('puts each translation in once, even one that looks like the name of a term', () => {
    const names = maskTerms('a b', { a: 'A', b: 'B' }).text.split(' ');
    const masked = maskTerms('a b', { a: (names[1] ?? '').repeat(3), b: 'B' });
    expect(masked.unmask(masked.text)).toBe(`${(names[1] ?? '').repeat(3)} B`);
  });

  it('takes no term for a pattern', () => {
    const masked = maskTerms('It costs 3 $ (about).', { '(about)': '(etwa) $&' });
    expect(masked.unmask(masked.text)).toBe('It costs 3 $ (etwa) $&.');
  });
});
