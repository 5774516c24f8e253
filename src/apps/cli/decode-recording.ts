import { tmpdir } from 'node:os';
import { Models } from '../../foundation/platform/models/index.ts';
import { decodeRecording } from '../../main/decode-recording.ts';
import { AudioDecoder, findFfmpeg } from '../../media/codec/index.ts';
import { type DecodeRecording, SuiteError } from '../testkit/index.ts';
import type { CliContext } from './command.ts';

export const decodeWithFfmpeg =
  (context: CliContext): DecodeRecording =>
  async (file, name) => {
    const config = context.config();
    const program = findFfmpeg(config.ffmpeg, new Models({ root: config.models }));
    if (program === undefined)
      throw new SuiteError(
        `the recording of ${name} is not a WAV file, and ffmpeg, which decodes other formats, is missing: run npx trunkline models fetch`,
      );
    return await decodeRecording(
      new AudioDecoder({ ffmpeg: program.path, temporary: tmpdir(), atOnce: 1 }),
      file,
    );
  };
