// @requirement Cast: Scripts are plain `NAME: text`, Fountain, SSML, SubRip or WebVTT.
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/products/cast/limits.ts';
import { formatOf, readScript } from '../../../src/products/cast/scripts/index.ts';
import { watchTurns } from '../../event-loop-blocking.ts';

const said = (text: string, format?: Parameters<typeof readScript>[1]) => readScript(text, format).lines;

describe('dialogue', () => {
  it('reads who says what, notes, chapters and lines that go on', () => {
    const script = [
      '# One',
      'ANNA: Are you there?',
      '**Dr. Ben (quietly):** Yes.',
      'I am here.',
      '',
      'Nobody answered.',
      'Ana María: (laughing) ¡Hola!',
    ].join('\r\n');
    expect(said(script)).toEqual([
      { speaker: 'ANNA', text: 'Are you there?', chapter: 'One' },
      { speaker: 'Dr. Ben', text: 'Yes. I am here.', note: 'quietly' },
      { speaker: 'Narrator', text: 'Nobody answered.' },
      { speaker: 'Ana María', text: '¡Hola!', note: 'laughing' },
    ]);
  });

  it('takes a colon in a sentence for no name', () => {
    expect(said('He said: come here. It is 10:30.')).toEqual([
      { speaker: 'Narrator', text: 'He said: come here. It is 10:30.' },
    ]);
  });

  it('knows scripts without capitals', () => {
    expect(said('अन्ना: नमस्ते')).toEqual([{ speaker: 'अन्ना', text: 'नमस्ते' }]);
  });
});

describe('Fountain', () => {
  const script = `Title: A play
Author: Somebody

INT. KITCHEN - NIGHT

The kettle boils. [[a note]]

ANNA (V.O.)
(whispering)
Is it ***really*** done?
It smells\\_.

@McBen
Wait/* cut */ for it.
(beat)
Now.

CUT TO:

# Act two

BEN ^
~Tra la
`;

  it('reads cues, parentheses, scenes and sections, and speaks no action', () => {
    const { format, lines, warnings } = readScript(script);
    expect(format).toBe('fountain');
    expect(lines).toEqual([
      {
        speaker: 'ANNA',
        text: 'Is it *really* done? It smells＿.',
        note: 'whispering',
        chapter: 'INT. KITCHEN - NIGHT',
      },
      { speaker: 'McBen', text: 'Wait for it.' },
      { speaker: 'McBen', text: 'Now.', note: 'beat' },
      { speaker: 'BEN', text: 'Tra la', chapter: 'Act two' },
    ]);
    expect(warnings).toEqual([expect.objectContaining({ code: 'action_not_spoken' })]);
  });
});

describe('SSML', () => {
  it('renders voices, pauses, prosody and aliases', () => {
    const { format, lines, warnings } = readScript(
      `<?xml version="1.0"?><speak>Hello <sub alias="World Wide Web">WWW</sub> &amp; all.<break time="1.5s"/> Yes.
      <voice name="michael_en_us">Good <prosody rate="slow" pitch="+10%" volume="-3dB">evening</prosody>.</voice>
      <p>One.</p><s><emphasis>Two</emphasis> <emphasis level="none">too</emphasis>.</s><phoneme ph="x">three</phoneme></speak>`,
    );
    expect(format).toBe('ssml');
    expect(lines).toEqual([
      { speaker: 'Narrator', text: 'Hello World Wide Web & all. [pause 1500ms] Yes.' },
      { speaker: 'michael_en_us', voice: 'michael_en_us', text: 'Good' },
      {
        speaker: 'michael_en_us',
        voice: 'michael_en_us',
        text: 'evening.',
        direction: { pace: 0.85, pitch: 1.1, energy_db: -3 },
      },
      { speaker: 'Narrator', text: 'One.' },
      { speaker: 'Narrator', text: '*Two* too.' },
      { speaker: 'Narrator', text: 'three' },
    ]);
    expect(warnings).toEqual([
      { code: 'ssml_not_rendered', message: '<phoneme> is not rendered; its words are spoken.' },
    ]);
  });

  it('takes what says nothing between two elements for no line', () => {
    const script =
      '<speak><break time="1s"/><s>Hello</s>. <break time="700ms"/><voice name="emma_en_gb">Bye</voice>!<break/></speak>';
    expect(said(script)).toEqual([
      { speaker: 'Narrator', text: '[pause 1000ms] Hello.' },
      { speaker: 'emma_en_gb', voice: 'emma_en_gb', text: '[pause 700ms] Bye!' },
    ]);
  });

  it.each([
    ['<!DOCTYPE speak [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><speak>&b;</speak>', 'document type'],
    ['<speak><!ENTITY x SYSTEM "file:///etc/passwd">&x;</speak>', 'document type'],
    ['<speak>one <b>two</speak>', 'closes <speak>'],
    ['<speak>one', 'does not close <speak>'],
    ['<speak>1 < 2</speak>', 'does not start a tag'],
    [`<speak>${'<p>'.repeat(40)}`, 'nested deeper'],
    [`<speak><p ${'a'.repeat(5000)}</speak>`, 'not closed'],
    ['<speak><![CDATA[x]]></speak>', 'document type'],
  ])('refuses markup %#', (script, message) => {
    expect(() => readScript(script)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param: 'script',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('is quick with what would be slow for a careless reader', () => {
    const began = performance.now();
    const hostile = [
      `<speak>${'<p a="'.repeat(20_000)}</speak>`,
      `<speak>${'&'.repeat(200_000)}</speak>`,
      `<speak>${'<!-- '.repeat(50_000)}</speak>`,
      `1\n00:00:01,000 --> 00:00:02,000\n${'<'.repeat(200_000)}`,
      `ANNA: ${'('.repeat(200_000)}`,
      `${'A '.repeat(100_000)}: x`,
      `INT. ROOM\n\n${'/*'.repeat(100_000)}`,
    ];
    for (const script of hostile) {
      try {
        readScript(script);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/invalid_request|payload_too_large/u) });
      }
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('subtitles', () => {
  it('reads SubRip with names, tags and pauses', () => {
    const script =
      '\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\nANNA: <i>Hello</i>\r\nthere.\r\n\r\n2\r\n00:00:04,000 --> 00:00:05,000\r\n{\\an8}Yes.\r\n\r\n3\r\n00:00:04,500 --> 00:00:06,000\r\nAt once.\r\n';
    expect(readScript(script)).toMatchObject({
      format: 'srt',
      lines: [
        { speaker: 'ANNA', text: 'Hello there.' },
        { speaker: 'Narrator', text: 'Yes.', direction: { pause_before_ms: 1500 } },
        { speaker: 'Narrator', text: 'At once.', direction: { pause_before_ms: -500 } },
      ],
    });
  });

  it('reads WebVTT with voices, and leaves out styles and notes', () => {
    const script =
      'WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE nothing\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v.loud Ben>Tom &amp; <b>me</b>\n';
    expect(readScript(script)).toMatchObject({
      format: 'vtt',
      lines: [{ speaker: 'Ben', text: 'Tom & me' }],
    });
  });

  it('gives each voice in a cue a line', () => {
    const script =
      'WEBVTT\n\n00:01.000 --> 00:02.000\nYes.\n\n00:03.000 --> 00:05.000\n<v Anna>Hello <b>there</b>.</v>\n<v.loud Ben>Hi.\n';
    expect(said(script)).toEqual([
      { speaker: 'Narrator', text: 'Yes.' },
      { speaker: 'Anna', text: 'Hello there.', direction: { pause_before_ms: 1000 } },
      { speaker: 'Ben', text: 'Hi.' },
    ]);
  });

  it('leaves out cues that say nothing, and says how many', () => {
    const cue = (second: number, text: string) =>
      `${second}\n00:00:0${second},000 --> 00:00:0${second},500\n${text}\n`;
    const { lines, warnings } = readScript(
      [cue(1, 'One.'), cue(2, '♪'), cue(3, '...'), cue(4, 'Two.')].join('\n'),
    );
    expect(lines).toMatchObject([{ text: 'One.' }, { text: 'Two.', direction: { pause_before_ms: 2500 } }]);
    expect(warnings).toEqual([
      { code: 'nothing_to_speak', message: '2 lines have nothing to speak and are skipped.' },
    ]);
  });
});

describe('limits', () => {
  it('refuses a script of a hundred thousand lines, and says what to do', () => {
    const script = Array.from({ length: 100_000 }, (_, at) => `ANNA: ${at}`).join('\n');
    const began = performance.now();
    expect(() => readScript(script)).toThrow(
      expect.objectContaining({
        code: 'payload_too_large',
        message: `The script has more than ${LIMITS.lines} lines, the limit of a project. Split it into several projects.`,
      }),
    );
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('refuses what holds nothing to say', () => {
    expect(() => readScript('# Only a title\n\n')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('tells formats apart', () => {
    expect(formatOf('ANNA: hi')).toBe('dialogue');
    expect(formatOf('ANNA\nhi there')).toBe('fountain');
    expect(formatOf('  <speak>hi</speak>')).toBe('ssml');
  });
});

describe('a long script of pauses', () => {
  it.each([
    ['dialogue', (pauses: number) => `${'A: [pause 1s]\n'.repeat(pauses)}A: Hello.`],
    ['ssml', (pauses: number) => `<speak>${'<s><break time="1s"/></s>'.repeat(pauses)}<s>Hello.</s></speak>`],
  ] as const)('is read in one pass of %s', (format, script) => {
    const turns = watchTurns();
    const [line, ...more] = said(script(100_000), format);
    expect(more).toEqual([]);
    expect(line?.text.startsWith('[pause 1')).toBe(true);
    expect(line?.text.endsWith('Hello.')).toBe(true);
    expect(turns.longestMs()).toBeLessThan(3_000);
  });
});
