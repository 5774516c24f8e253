/**
 * Hear: files and streams of real voices through the served product, with faster-whisper beside it.
 *
 * `--quick` is the short form. BENCH_PARTS=files,streams,voice runs only some parts.
 */
import { runBench } from '../harness/index.ts';
import { measureBatch } from './batch.ts';
import { needRecordings } from './clips.ts';
import { measureLive } from './live.ts';
import { measureVoiceActivity } from './voice-activity.ts';

const parts = (process.env.BENCH_PARTS ?? 'files,streams,voice').split(',');

await runBench('hear', 'Hear: recognition of files and streams', async (report, { quick }) => {
  needRecordings();
  if (parts.includes('files')) await measureBatch(report, quick ? 60 : 2000, 180);
  if (parts.includes('streams')) {
    await measureLive(
      report,
      quick
        ? { seconds: 24, streams: 4, atOnce: [8], secondsEach: 4 }
        : { seconds: 300, streams: 4, atOnce: [2, 4, 6, 8, 10, 12, 16], secondsEach: 15 },
    );
  }
  if (parts.includes('voice')) measureVoiceActivity(report, quick ? 60 : 600);
});
