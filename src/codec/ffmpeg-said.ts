/** What ffmpeg tells of its input. Lines of tags are indented further than these, so none can pretend to be one. */

export function saidDuration(said: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/m.exec(said);
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined;
}

/** Samples a second of the file's sound. */
export function saidRate(said: string): number | undefined {
  const match = /^ {2}Stream #0:\d+[^\n]*?: Audio: [^\n]*?, (\d+) Hz/m.exec(said);
  return match ? Number(match[1]) : undefined;
}
