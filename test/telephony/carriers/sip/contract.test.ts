// @requirement Carriers: One test suite runs over every carrier.
// @requirement Transfers: A cold transfer runs over this server where the trunk has no `refer`.
// @requirement Transfers: A REFER moves the audio, and a refusal leaves the call.
// @requirement SIP: DTMF works as events and as tones, both ways.
import { expect, it } from 'vitest';
import { carrierContract, RecordingListener } from '../contract.ts';
import { Exchange, WHO } from './exchange.ts';
import { Party } from './party.ts';
import { freePort, lacking, OWN_NUMBER, openWorld } from './peers.ts';

if (lacking() === null) {
  carrierContract('sip', async () => {
    const port = freePort();
    const exchange = await Exchange.open(port);
    const world = await openWorld(port);
    const parties: Party[] = [];
    return {
      carrier: world.carrier,
      from: OWN_NUMBER,
      dial: WHO,
      transferTo: '+15005550004',
      keysHeard: () => exchange.keys,
      callIn: async (to) => {
        const party = await Party.open(world.port, to, freePort());
        parties.push(party);
        void party.call();
      },
      close: async () => {
        await world.close();
        exchange.close();
        for (const party of parties) party.close();
      },
    };
  });

  it('hands nobody on where the operator has not said that the trunk charges nothing for it', async () => {
    const port = freePort();
    const exchange = await Exchange.open(port);
    const { carrier, close } = await openWorld(port, { trunk: { refer: false } });
    const reported = new RecordingListener();
    const order = { id: 'tcl_1', from: OWN_NUMBER, to: WHO.answers, ringMs: 10_000 };
    const call = await carrier.place(order, reported);
    await reported.until('answered');
    expect(call.canTransfer).toBe(false);
    await expect(call.transfer(WHO.echoes, 60_000)).rejects.toMatchObject({ kind: 'refused' });
    expect(call.state.kind).toBe('answered');
    await call.hangUp();
    await close();
    exchange.close();
  }, 20_000);

  it('knows a caller who hangs up during their transfer from one who has gone to somebody else', async () => {
    const port = freePort();
    const exchange = await Exchange.open(port);
    const { carrier, close } = await openWorld(port);
    const reported = new RecordingListener();
    const order = { id: 'tcl_1', from: OWN_NUMBER, to: WHO.answers, ringMs: 10_000 };
    const call = await carrier.place(order, reported);
    await reported.until('answered');
    await expect(call.transfer(WHO.unwanted, 60_000)).rejects.toMatchObject({
      name: 'CarrierError',
      kind: 'refused',
    });
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await close();
    exchange.close();
  }, 20_000);
}
