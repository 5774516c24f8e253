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
      'Call a voice agent, and measure response latency and interruption latency as the caller hears them.',
    )
    .option('--protocol <name>', 'omni, realtime (OpenAI) or twilio (Media Streams)', 'omni')
    .option('--sound <format>', 'the audio format of realtime: ulaw, or pcm (16 bits, 24 kHz)', 'ulaw')
    .option('--key <key>', 'the API key of the endpoint (TRUNKLINE_KEY)')
    .option('--agent <id>', 'the agent that answers, for omni')
    .option(
      '--voice-url <url>',
      'a server of this product that synthesizes the caller’s speech (default: the measured server)',
    )
    .option('--voice-key <key>', 'the API key of that server (TRUNKLINE_VOICE_KEY)')
    .option('--voice <name>', 'the caller’s voice', 'en1')
    .option('--calls <number>', 'the number of calls', '3')
    .option('--rounds <number>', 'the number of answers, interruptions and backchannels per call', '4')
    .option('--save <file>', 'write the measurements as JSON')
    .option('--plot <file>', 'draw every measurement as SVG')
    .option('--compare', 'compare two files written with --save')
    .action(async (places: string[], options: MeasureOptions) => {
      const { measureOrCompare } = await import('./measure-handlers.ts');
      context.exit(await measureOrCompare(context, places, options));
    });
};
