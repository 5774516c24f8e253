/**
 * Measures the word error rate and the price of a stream with four at once, and how many streams have their finals in
 * time, on the same clips that faster-whisper gets.
 */
import { preparePeer, runPeer } from '../hear/peer.ts';
import { clipsFor, measureDensity, measureStreams } from '../hear/streams.ts';
import { inTime } from '../hear/streams-report.ts';
import { scoreText } from '../hear/words.ts';
import type { HearData, PeerData } from './parts.ts';

const BEAM = 5;

export async function measureHear(quick: boolean): Promise<HearData> {
  const seconds = quick ? 60 : 240;
  const four = await measureStreams('wide', { seconds, streams: 4 });
  const atOnce = await measureDensity(quick ? [8] : [8, 12, 16, 20], seconds, (data) => !inTime(data));
  return { four, atOnce, peer: measurePeer(seconds) };
}

function measurePeer(seconds: number): PeerData {
  const clips = clipsFor(seconds);
  const answers = runPeer(preparePeer(), clips, BEAM);
  return {
    scores: clips.map(({ text }, index) => scoreText(text, answers[index]!.text, 'en')),
    seconds: clips.reduce((sum, clip) => sum + clip.seconds, 0),
    spent: answers.reduce((sum, answer) => sum + answer.seconds, 0),
  };
}
