"""What telephones of PJSIP have in common: an endpoint without devices that speaks u-law, and files for its sound."""
import pjsua2 as pj


def begin(endpoint, port, transport=pj.PJSIP_TRANSPORT_UDP):
    config = pj.EpConfig()
    config.logConfig.level = config.logConfig.consoleLevel = 0
    config.uaConfig.threadCnt = 0
    config.medConfig.clockRate = config.medConfig.sndClockRate = 8000
    config.medConfig.ecOptions = config.medConfig.ecTailLen = 0
    config.medConfig.noVad = True
    endpoint.libCreate()
    endpoint.libInit(config)
    bound = pj.TransportConfig()
    bound.port = port
    bound.boundAddress = "127.0.0.1"
    endpoint.transportCreate(transport, bound)
    endpoint.libStart()
    endpoint.audDevManager().setNullDev()
    for codec in endpoint.codecEnum2():
        endpoint.codecSetPriority(codec.codecId, 255 if codec.codecId.startswith("PCMU") else 0)


def files(plays, records):
    player = pj.AudioMediaPlayer()
    player.createPlayer(plays)
    recorder = pj.AudioMediaRecorder()
    recorder.createRecorder(records)
    return player, recorder


def account_at(port):
    config = pj.AccountConfig()
    config.idUri = f"sip:pjsua@127.0.0.1:{port}"
    config.mediaConfig.transportConfig.boundAddress = "127.0.0.1"
    return config
