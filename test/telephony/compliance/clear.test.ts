// @requirement Compliance cases: Personal values are masked in views, logs and exports.
// @requirement Compliance cases: A correction keeps the old value sealed.
/** No personal data of a case is in clear text outside its documents: in no table, view, cached answer or log line. */
import { expect, it } from 'vitest';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { authority, bill, facts } from '../../edge/surfaces/compliance/sample-documents.ts';
import { openTestbed } from '../../edge/surfaces/compliance/server.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

onBothDatabases('what is personal in a case', (databases) => {
  it('is in no table, view, answer or log', async () => {
    const { options } = await databases.empty();
    const lines: string[] = [];
    const log = createLog({
      level: 'trace',
      destination: { write: (line: string) => void lines.push(line) },
    });
    const testbed = await openTestbed({
      database: options,
      log,
      onError: (err) => log.error({ err }, 'a job of a compliance case failed'),
    });
    const known = facts();
    const seen: string[] = [];
    const { id } = await testbed.open();
    await testbed.upload(id, 'letter_of_authority', authority(known), {
      name: `authority of ${known.phone_number![0]}.pdf`,
    });
    await testbed.upload(id, 'telephone_bill', bill(known));
    const read = await testbed.settled(id);
    const corrected = 'Wilhelmina Quackenbush';
    const given = {
      extraction_id: read.extractions[0].id,
      field: 'account_holder',
      value: corrected,
      reason: 'It is spelt so; ring +1 212 555 0142.',
    };
    const answer = await testbed.send('POST', `/${id}/corrections`, given, { 'idempotency-key': 'one' });
    expect(answer.status).toBe(200);
    const refused = await testbed.send('POST', `/${id}/corrections`, { ...given, field: 'signed_date' });
    expect(refused.status).toBe(400);
    await testbed.send('POST', `/${id}/corrections`, { ...given, value: known.account_holder![1] });
    await testbed.attestAll(await testbed.read(id));
    await testbed.send('POST', `/${id}/submit`);
    await testbed.settled(id, ({ network_status }) => network_status === 'approved');
    seen.push(answer.text, refused.text);
    for (const path of ['', '?state=submitted', `/${id}`]) seen.push((await testbed.send('GET', path)).text);
    const tables = await testbed.storage.db.introspection.getTables();
    expect(tables.map(({ name }) => name)).toContain('compliance_corrections');
    for (const { name } of tables) {
      const rows = await acrossTenants(testbed.storage.db)
        .selectFrom(name as 'compliance_cases')
        .selectAll()
        .execute();
      seen.push(`${name} ${JSON.stringify(rows)}`);
    }
    expect(seen.join('')).toContain(id);
    expect(lines.length).toBeGreaterThan(5);
    const personal = [
      ...['account_holder', 'service_address', 'phone_number', 'account_number', 'port_out_pin'].map(
        (field) => known[field]![1],
      ),
      known.phone_number![0],
      corrected,
      '212 555 0142',
    ];
    for (const text of [...seen, ...lines])
      for (const value of personal)
        expect(text.includes(value), `${value} in ${text.slice(0, 200)}`).toBe(false);
  });
});
