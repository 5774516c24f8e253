import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { scanned } from '../../../bench/compliance/pictures.ts';
import { Random } from '../../../bench/compliance/random.ts';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../../src/media/codec/index.ts';
import {
  type CaseView,
  type ComplianceService,
  findTesseract,
  PictureReader,
  type Registry,
} from '../../../src/telephony/compliance/index.ts';
import { authority, bill, facts, paper } from '../../edge/surfaces/compliance/sample-documents.ts';

export const SCOPE = tenantScopeOfRow({ org_id: 'org_a', project_id: 'proj_a', environment: 'live' });
export const DOER = { kind: 'key', id: 'key_a', from: null, requestId: null } as const;

type Subject = Parameters<Registry['freeze']>[0];

export interface Story {
  readonly subject: Pick<Subject, 'kind' | 'country'>;
  readonly use?: string;
  readonly isInfected?: boolean;
  readonly pictures?: PictureReader;
  papers(): readonly (readonly [request: string, bytes: Buffer])[];
  step(service: ComplianceService, found: CaseView): Promise<boolean>;
  check(found: CaseView, blobs: readonly string[]): void;
  /** Fewer commits would mean that the test missed one. */
  readonly leastCommits: number;
}

export const timesReported = (found: CaseView, type: string): number =>
  found.timeline.filter((reported) => reported.type === type).length;

const of = (found: CaseView, type: string) => found.timeline.filter((reported) => reported.type === type);
const isRead = ({ extractions }: CaseView): boolean =>
  extractions.every(({ status }) => status !== 'queued' && status !== 'running');

export async function send(
  service: ComplianceService,
  id: string,
  request: string,
  bytes: Buffer,
): Promise<void> {
  const file = await service.uploads.store(SCOPE, id, 'paper', Readable.from([bytes]));
  await service.uploads.add(SCOPE, id, null, request, file, DOER);
}

const readyThenApproved = async (service: ComplianceService, found: CaseView): Promise<boolean> => {
  if (found.state === 'ready_for_submission' && found.network_status === 'draft')
    await service.submissions.submit(SCOPE, found.id, null, DOER, async () => {});
  return found.network_status === 'approved';
};

function checkApproved(found: CaseView): void {
  expect(found).toMatchObject({ state: 'submitted', network_status: 'approved' });
  expect(found.uploads).toMatchObject([{ malware_status: 'clean', removed_at: null }]);
  for (const once of ['document.scanned', 'document.read', 'network.accepted', 'network.reviewed'])
    expect(timesReported(found, once), once).toBe(1);
}

const address = () => paper('proof_of_address', 'CA').pdf;
const TRANSFER = { kind: 'port_in', country: 'US' } as const;
const NUMBER = { kind: 'new_number', country: 'CA' } as const;

const tesseract = findTesseract(null);
const ffmpeg = findFfmpeg(null, new Models())?.path;
const pictures = tesseract && ffmpeg ? new PictureReader(ffmpeg, tesseract) : null;
export const noPictures = pictures === null;

export const STORIES = {
  'is approved': {
    subject: NUMBER,
    papers: () => [['proof_of_address', address()]],
    step: readyThenApproved,
    check: (found) => {
      checkApproved(found);
      expect(found.extractions).toMatchObject([{ status: 'succeeded', cost_micros: 20 }]);
    },
    leastCommits: 9,
  },
  'has a picture read': {
    subject: NUMBER,
    ...(pictures === null ? {} : { pictures }),
    papers: () => [['proof_of_address', scanned(ffmpeg ?? '', address(), new Random(5))]],
    step: async (_service, found) => isRead(found) && found.uploads[0]?.malware_status === 'clean',
    check: (found) => {
      expect(found.extractions).toMatchObject([{ status: 'succeeded' }]);
      expect(found.extractions[0]?.cost_micros).toBeGreaterThan(20);
      expect(timesReported(found, 'document.read')).toBe(1);
    },
    leastCommits: 5,
  },
  'has two papers read at once': {
    subject: TRANSFER,
    papers: () => [
      ['letter_of_authority', authority()],
      ['telephone_bill', bill()],
    ],
    step: async (_service, found) =>
      isRead(found) && found.uploads.every(({ malware_status }) => malware_status === 'clean'),
    check: (found) => {
      const read = { status: 'succeeded', cost_micros: 20 };
      expect(found.extractions).toMatchObject([read, read]);
      expect(new Set(of(found, 'document.read').map(({ detail }) => detail.upload_id)).size).toBe(2);
      expect(timesReported(found, 'document.read')).toBe(2);
    },
    leastCommits: 9,
  },
  'holds an infected file': {
    subject: NUMBER,
    isInfected: true,
    papers: () => [['proof_of_address', address()]],
    step: async (_service, found) => found.uploads[0]?.removed_at !== null,
    check: (found, blobs) => {
      expect(found.uploads).toMatchObject([{ malware_status: 'infected' }]);
      expect(found.extractions).toMatchObject([
        { status: 'failed', failure_reason: 'malware_found', cost_micros: 0 },
      ]);
      expect(timesReported(found, 'document.scanned')).toBe(1);
      expect(blobs).toEqual([]);
    },
    leastCommits: 3,
  },
  'gets a newer paper while the older one is read': {
    subject: TRANSFER,
    papers: () => [['telephone_bill', bill()]],
    step: async (service, found) => {
      if (found.uploads.length === 1) await send(service, found.id, 'telephone_bill', bill(facts(8)));
      return found.uploads.length === 2 && isRead(found) && found.uploads[1]?.malware_status === 'clean';
    },
    check: (found) => {
      expect(found.uploads.map(({ generation }) => generation)).toEqual([1, 2]);
      const [older, newer] = found.extractions;
      expect(['succeeded', 'cancelled']).toContain(older?.status);
      expect(older?.cost_micros).toBe(older?.status === 'succeeded' ? 20 : 0);
      expect(newer).toMatchObject({ status: 'succeeded', cost_micros: 20 });
      const read = of(found, 'document.read').map(({ detail }) => detail.upload_id);
      expect(read.filter((upload) => upload === found.uploads[1]?.id)).toHaveLength(1);
    },
    leastCommits: 6,
  },
  'is given up while its papers are read': {
    subject: TRANSFER,
    papers: () => [
      ['letter_of_authority', authority()],
      ['telephone_bill', bill()],
    ],
    step: async (service, found) => {
      if (found.state === 'cancelled') return true;
      if (found.extractions.some(({ status }) => status !== 'queued'))
        await service.cases.cancel(SCOPE, found.id, null, null, DOER);
      return false;
    },
    check: (found) => {
      expect(found).toMatchObject({ state: 'cancelled', terminal_reason: 'cancelled_by_customer' });
      expect(isRead(found)).toBe(true);
      expect(timesReported(found, 'case.cancelled')).toBe(1);
    },
    leastCommits: 4,
  },
  'is asked back by the network': {
    subject: NUMBER,
    use: 'trial: ask back',
    papers: () => [['proof_of_address', address()]],
    step: async (service, found) => {
      if (timesReported(found, 'network.asked_back') > 0) return true;
      return await readyThenApproved(service, found);
    },
    check: (found) => {
      expect(found.network_status).toBe('draft');
      expect(timesReported(found, 'network.asked_back')).toBe(1);
      expect(timesReported(found, 'submission.requested')).toBe(1);
      expect(found.extractions).toMatchObject([{ status: 'succeeded', cost_micros: 20 }]);
    },
    leastCommits: 7,
  },
} as const satisfies Record<string, Story>;

export type StoryName = keyof typeof STORIES;
