import type { RegisterCommand } from './command.ts';

export interface MeasureOptions {
  protocol: string;
  key?: string;
  agent?: string;
  voiceUrl?: string;
  voiceKey?: string;
  sound: string;
  voice: string;
  calls: string;
  rounds: string;
  save?: string;
  plot?: string;
  compare?: true;
}

export const registerMeasure: RegisterCommand = (program, context) => {
  program
    .command('measure <places...>')
    .description(
      'Call a voice agent and measure its response and interruption latency, as the caller hears it.',
    )
    .option('--protocol <name>', 'omni, realtime (OpenAI) or twilio (Media Streams)', 'omni')
    .option('--sound <format>', 'of realtime: ulaw, or pcm (16 bits, 24 kHz)', 'ulaw')
    .option('--key <key>', 'of the endpoint (TRUNKLINE_KEY)')
    .option('--agent <id>', 'which agent of this product answers')
    .option(
      '--voice-url <url>',
      'a server of this product that speaks the caller’s words; the measured one by default',
    )
    .option('--voice-key <key>', 'its key (TRUNKLINE_VOICE_KEY)')
    .option('--voice <name>', 'the caller’s voice', 'en1')
    .option('--calls <number>', 'calls to make', '3')
    .option('--rounds <number>', 'answers, interruptions and signs of listening a call', '4')
    .option('--save <file>', 'write what was measured as JSON')
    .option('--plot <file>', 'draw every value as SVG')
    .option('--compare', 'compare two files that --save wrote')
    .action(async (places: string[], options: MeasureOptions) => {
      const { measureOrCompare } = await import('./measure-handlers.ts');
      context.exit(await measureOrCompare(context, places, options));
    });
};
