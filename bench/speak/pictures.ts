/** How each voice looks: for a person who would rather see than read. */
import { spectrogramPlot, waveformPlot } from '../harness/index.ts';
import type { Section } from './parts.ts';
import { ROUND_TRIP } from './prompts.ts';
import type { Speaker } from './stage.ts';
import { EVERY_VOICE, RATE, voice } from './voices.ts';

const SMALL = { size: 256, columns: 260, floor: -80 } as const;

export async function pictures(report: Section, speaker: Speaker): Promise<void> {
  report.heading('How it looks');
  for (const name of EVERY_VOICE) {
    const said = ROUND_TRIP[voice(name).language]![0]!;
    const sound = { title: name, samples: await speaker.say(said, voice(name)), rate: RATE };
    report.plot(`${name}-wave`, `${name}: waveform of "${said}"`, waveformPlot(sound));
    report.plot(`${name}-spectrum`, `${name}: spectrogram`, spectrogramPlot(sound, SMALL));
  }
}
