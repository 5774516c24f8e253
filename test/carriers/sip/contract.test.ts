/** The suite that every carrier passes, over SIP. */
import { carrierContract } from '../contract.ts';
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
}
