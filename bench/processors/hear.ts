/** Word error and the price of a stream with four at once, and how many at once have their finals in time. */
import { measureDensity, measureStreams } from '../hear/streams.ts';
import { LATE_MS, ms, toFinals } from '../hear/streams-report.ts';
import type { HearData } from './parts.ts';

export async function measureHear(quick: boolean): Promise<HearData> {
  const four = await measureStreams('wide', { seconds: quick ? 60 : 240, streams: 4 });
  const late = (data: Parameters<typeof toFinals>[0]) => ms(toFinals(data), 0.99) >= LATE_MS;
  return { four, atOnce: await measureDensity(quick ? [8] : [8, 12, 16, 20], 12, late) };
}
