/**
 * Parses ffmpeg's report on its input. Lines of tags are indented further than these, so that no tag can forge one.
 */

export function parseDuration(said: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/m.exec(said);
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined;
}

export function parseChannels(said: string): number | undefined {
  const layout = /^ {2}Stream #0:\d+[^\n]*?: Audio: [^\n]*?, \d+ Hz, ([^,\n]+)/m.exec(said)?.[1];
  if (layout === undefined) return undefined;
  if (layout === 'mono') return 1;
  if (layout === 'stereo' || layout === 'downmix') return 2;
  const counted = /^(\d+) channels/.exec(layout);
  if (counted) return Number(counted[1]);
  if (layout.startsWith('quad')) return 4;
  const summed = /^(\d+)\.(\d+)/.exec(layout);
  return summed ? Number(summed[1]) + Number(summed[2]) : undefined;
}

export const reportsVideo = (said: string): boolean =>
  said
    .split('\n')
    .some((line) => /^ {2}Stream #0:\d+[^\n]*?: Video: /.test(line) && !line.includes('(attached pic)'));

export const reportsVideoWithoutAudio = (said: string): boolean =>
  reportsVideo(said) && !/^ {2}Stream #0:\d+[^\n]*?: Audio: /m.test(said);

export function parseSampleRate(said: string): number | undefined {
  const match = /^ {2}Stream #0:\d+[^\n]*?: Audio: [^\n]*?, (\d+) Hz/m.exec(said);
  return match ? Number(match[1]) : undefined;
}
