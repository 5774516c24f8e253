import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import { collapsed, PathPattern, type WorkBudget } from '../paths/path-pattern.ts';

export interface SiteRules {
  /** `work` limits the cost of matching; an address that exceeds it is not allowed. */
  allows(url: string, work?: WorkBudget): boolean;
  readonly pauseSeconds: number;
  readonly sitemaps: readonly string[];
}

const LONGEST_LINE = 4_096;
/**
 * Each pattern with an inner `*` costs a walk along the path. Patterns beyond this many count as matching where
 * they disallow.
 */
const MOST_WILDCARDS = 1_000;
/** In a file with more rules for one program, everything that the first ones do not allow is disallowed. */
const MOST_RULES = 20_000;
const MOST_SITE_MAPS = 100;
/** The budget for one address covers a thousand patterns on the longest path. */
const WORK = 2_500_000;

interface Rule {
  readonly pattern: PathPattern;
  readonly length: number;
  readonly isAllowed: boolean;
}

interface Group {
  readonly rules: Rule[];
  delay: number | null;
  wildcards: number;
}

/**
 * Implements RFC 9309 for one program: the longest matching pattern decides, and of two equally long ones the one
 * that allows.
 */
export function readRobots(text: string, agent: string): SiteRules {
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  const current = new Set<Group>();
  let isNaming = false;
  for (const [name, value] of lines(text.replaceAll('\r', '\n'))) {
    if (name === 'user-agent') {
      if (!isNaming) current.clear();
      const named = value.toLowerCase().split('/', 1)[0]?.trim() ?? '';
      if (named === '*' || named === agent.toLowerCase()) current.add(groupOf(groups, named));
    }
    isNaming = name === 'user-agent';
    if (name === 'sitemap' && sitemaps.length < MOST_SITE_MAPS) sitemaps.push(value);
    if (name === 'crawl-delay') for (const group of current) group.delay = Number(value);
    if (name === 'allow' || name === 'disallow')
      for (const group of current) addRule(group, value, name === 'allow');
  }
  const { rules, delay } = groups.get(agent.toLowerCase()) ?? groups.get('*') ?? newGroup();
  rules.sort((one, other) => other.length - one.length || Number(other.isAllowed) - Number(one.isAllowed));
  return {
    allows: (url, work = { left: WORK }) => isAllowed(rules, url, work),
    pauseSeconds: delay !== null && delay > 0 ? delay : 0,
    sitemaps,
  };
}

function isAllowed(rules: readonly Rule[], url: string, work: WorkBudget): boolean {
  if (url.length > MAX_URL_CHARACTERS) return false;
  const { pathname, search } = new URL(url);
  const path = encoded(pathname + search);
  const decides = rules.find(({ pattern }) => pattern.matches(path, work));
  return work.left > 0 && decides?.isAllowed !== false;
}

function addRule(group: Group, value: string, isAllowed: boolean): void {
  let text = collapsed(encoded(value));
  if (text === '') return;
  const isWhole = text.endsWith('$');
  const { length } = text;
  if (isWhole) text = text.slice(0, -1);
  // Patterns match prefixes, so a `*` at the end adds nothing.
  else if (text.endsWith('*')) text = text.slice(0, -1);
  if (group.rules.length === MOST_RULES) group.rules.push(ruleOf('', false, 0, false));
  if (group.rules.length > MOST_RULES) return;
  if (!text.includes('*')) return void group.rules.push(ruleOf(text, isWhole, length, isAllowed));
  group.wildcards += 1;
  if (group.wildcards <= MOST_WILDCARDS) group.rules.push(ruleOf(text, isWhole, length, isAllowed));
  else if (!isAllowed) group.rules.push(ruleOf(text.split('*', 1)[0] as string, false, length, false));
}

const ruleOf = (text: string, isWhole: boolean, length: number, isAllowed: boolean): Rule => ({
  pattern: new PathPattern(text, { isWhole }),
  length,
  isAllowed,
});

const newGroup = (): Group => ({ rules: [], delay: null, wildcards: 0 });

function groupOf(groups: Map<string, Group>, name: string): Group {
  const group = groups.get(name) ?? newGroup();
  groups.set(name, group);
  return group;
}

/**
 * Yields the fields in lower case with their values. Comments and lines too long to match any address are left out.
 */
function* lines(text: string): Generator<readonly [string, string]> {
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    // Runs of stars would make a line longer than its pattern is.
    const line = end - start > LONGEST_LINE ? collapsed(text.slice(start, end)) : text.slice(start, end);
    if (line.length > LONGEST_LINE) continue;
    const [, name, value] = /^\uFEFF?\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    if (name !== undefined && value !== undefined) yield [name.toLowerCase(), value.trim()];
  }
}

/** Addresses and patterns must encode the same character in the same way. */
function encoded(path: string): string {
  try {
    return encodeURI(path)
      .replaceAll('%25', '%')
      .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  } catch {
    return path;
  }
}
