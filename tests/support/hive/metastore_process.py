"""The process of a Hive Metastore on loopback: prints its port, serves until the end of its input.

    python -m tests.support.hive.metastore_process <warehouse> <options>

The options are a JSON object: `release` is one of `releases`. With `keystore` and `password` connections use TLS, with
`truststore` clients need a certificate. With `principal` and `keytab` clients authenticate by Kerberos, `krb5_conf` has
the realm, `protection` is `hadoop.rpc.protection`, and with `authorization` users need grants (release 2 only).

`HiveMetaStore.main` listens on all addresses and has no setting for one: this serves the same handler on a
socket of 127.0.0.1. The database is Derby in memory. Settings are system properties, which its
configuration reads.
"""

import json
import os
import sys
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final, TextIO

import jpype

from tests.support.hive.releases import HIVE, RELEASES, Release
from tests.support.jvm import SHORT_LIVED

_THRIFT: Final = "org.apache.thrift"
_SETTINGS: Final = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "hive.metastore.schema.verification": "false",
    "datanucleus.connectionPoolingType": "HikariCP",  # BoneCP, the default, is not among the jars
    "hive.warehouse.subdir.inherit.perms": "false",  # which starts `ls` and `chmod` for each folder
    "derby.stream.error.field": "java.lang.System.err",
}
_AUTHORIZATION: Final = "org.apache.hadoop.hive.ql.security"
_AUTHORIZED: Final = {
    "hive.metastore.pre.event.listeners": f"{_AUTHORIZATION}.authorization.AuthorizationPreEventListener",
    "hive.security.metastore.authorization.manager": (
        f"{_AUTHORIZATION}.authorization.DefaultHiveMetastoreAuthorizationProvider"
    ),
    "hive.security.metastore.authenticator.manager": f"{_AUTHORIZATION}.HadoopDefaultMetastoreAuthenticator",
}


def serve(warehouse: Path, options: dict[str, str], answers: TextIO) -> None:
    """Start the Metastore, print its port, and serve."""
    release = RELEASES[options["release"]]
    settings = {**_SETTINGS, **release.settings, "hive.metastore.warehouse.dir": warehouse.as_uri()}
    settings |= _AUTHORIZED if "authorization" in options else {}
    settings |= {"java.security.krb5.conf": options.get("krb5_conf", "/dev/null")}
    flags = [f"-D{name}={value}" for name, value in settings.items()]
    jpype.startJVM("-Xmx512m", *SHORT_LIVED, *flags, classpath=release.class_path(), convertStrings=True)
    handler, conf = _handler(release, options["release"])
    socket = _server_socket(options)
    arguments = jpype.JClass(f"{_THRIFT}.server.TThreadPoolServer$Args")(socket)
    if "keytab" in options:
        _authenticate(arguments, options, conf, handler)
    else:
        arguments.processor(jpype.JClass(f"{HIVE}.TUGIBasedProcessor")(handler))
        arguments.transportFactory(jpype.JClass(f"{release.security}.TUGIContainingTransport$Factory")())
    arguments.maxWorkerThreads(64)
    server = jpype.JClass(f"{_THRIFT}.server.TThreadPoolServer")(arguments)
    print(socket.getServerSocket().getLocalPort(), file=answers, flush=True)
    server.serve()


def _handler(release: Release, number: str) -> tuple[Any, Any]:
    """Return what executes the calls, one at a time, and its configuration."""
    if number == "2":
        conf = jpype.JClass("org.apache.hadoop.hive.conf.HiveConf")()
    else:
        conf = jpype.JClass(f"{HIVE}.conf.MetastoreConf").newMetastoreConf()
    if number == "4":  # its jars have no script of these tables
        handler = jpype.JClass(release.handler)("metastore", conf)
        _make_tables_of_locks()
    else:
        jpype.JClass(f"{HIVE}.txn.TxnDbUtil").prepDb(conf)
        handler = jpype.JClass(release.handler)("metastore", conf, False)
    proxy = jpype.JClass(release.proxies).getProxy(conf, handler, True)
    return _one_by_one(proxy, jpype.JClass(f"{HIVE}.IHMSHandler")), conf


_LOCKS: Final = """
CREATE TABLE TXNS (TXN_ID bigint NOT NULL PRIMARY KEY, TXN_STATE char(1) NOT NULL, TXN_STARTED bigint NOT NULL,
  TXN_LAST_HEARTBEAT bigint NOT NULL, TXN_USER varchar(128) NOT NULL, TXN_HOST varchar(128) NOT NULL,
  TXN_AGENT_INFO varchar(128), TXN_META_INFO varchar(128), TXN_HEARTBEAT_COUNT integer, TXN_TYPE integer);
CREATE TABLE TXN_COMPONENTS (TC_TXNID bigint NOT NULL, TC_DATABASE varchar(128) NOT NULL, TC_TABLE varchar(256),
  TC_PARTITION varchar(767), TC_OPERATION_TYPE char(1) NOT NULL, TC_WRITEID bigint);
CREATE TABLE HIVE_LOCKS (HL_LOCK_EXT_ID bigint NOT NULL, HL_LOCK_INT_ID bigint NOT NULL, HL_TXNID bigint NOT NULL,
  HL_DB varchar(128) NOT NULL, HL_TABLE varchar(256), HL_PARTITION varchar(767), HL_LOCK_STATE char(1) NOT NULL,
  HL_LOCK_TYPE char(1) NOT NULL, HL_LAST_HEARTBEAT bigint NOT NULL, HL_ACQUIRED_AT bigint, HL_USER varchar(128),
  HL_HOST varchar(128), HL_HEARTBEAT_COUNT integer, HL_AGENT_INFO varchar(128), HL_BLOCKEDBY_EXT_ID bigint,
  HL_BLOCKEDBY_INT_ID bigint, PRIMARY KEY(HL_LOCK_EXT_ID, HL_LOCK_INT_ID));
CREATE TABLE NEXT_LOCK_ID (NL_NEXT bigint NOT NULL);
INSERT INTO NEXT_LOCK_ID VALUES(1);
CREATE TABLE AUX_TABLE (MT_KEY1 varchar(128) NOT NULL, MT_KEY2 bigint NOT NULL, MT_COMMENT varchar(255),
  PRIMARY KEY(MT_KEY1, MT_KEY2))
"""


def _make_tables_of_locks() -> None:
    connection = jpype.java.sql.DriverManager.getConnection(_SETTINGS["javax.jdo.option.ConnectionURL"])
    for each in _LOCKS.split(";"):
        connection.createStatement().executeUpdate(each.replace("\n", " "))
    connection.close()


def _authenticate(arguments: Any, options: dict[str, str], conf: Any, handler: Any) -> None:
    """Let clients authenticate by Kerberos, as `HiveMetaStore.startMetaStore` does."""
    package = RELEASES[options["release"]].security
    conf.set("hadoop.security.authentication", "kerberos")
    conf.set("hadoop.rpc.protection", options["protection"])
    jpype.JClass("org.apache.hadoop.security.UserGroupInformation").setConfiguration(conf)
    identity = (options["keytab"], options["principal"])
    if options["release"] == "2":
        server = (
            jpype.JClass("org.apache.hadoop.hive.shims.ShimLoader").getHadoopThriftAuthBridge().createServer(*identity)
        )
        tokens = jpype.JClass(f"{package}.HiveDelegationTokenManager")()
        properties = jpype.JClass(f"{HIVE}.MetaStoreUtils").getMetaStoreSaslProperties(conf)
    else:
        server = (
            jpype.JClass(f"{package}.HadoopThriftAuthBridge").getBridge().createServer(*identity, options["principal"])
        )
        tokens = jpype.JClass(f"{package}.MetastoreDelegationTokenManager")()
        properties = jpype.JClass(f"{HIVE}.utils.MetaStoreUtils").getMetaStoreSaslProperties(conf, False)
    mode = jpype.JClass(f"{package}.HadoopThriftAuthBridge$Server$ServerMode").METASTORE
    tokens.startDelegationTokenSecretManager(conf, handler, mode)
    server.setSecretManager(tokens.getSecretManager())
    arguments.transportFactory(server.createTransportFactory(properties))
    arguments.processor(server.wrapProcessor(jpype.JClass(f"{HIVE}.api.ThriftHiveMetastore$Processor")(handler)))


def _server_socket(options: dict[str, str]) -> Any:
    transport = f"{_THRIFT}.transport"
    if "keystore" not in options:
        return jpype.JClass(f"{transport}.TServerSocket")(jpype.java.net.InetSocketAddress("127.0.0.1", 0))
    parameters = jpype.JClass(f"{transport}.TSSLTransportFactory$TSSLTransportParameters")()
    parameters.setKeyStore(options["keystore"], options["password"], "SunX509", "PKCS12")
    if "truststore" in options:
        parameters.setTrustStore(options["truststore"], options["password"], "SunX509", "PKCS12")
        parameters.requireClientAuth(True)
    loopback = jpype.java.net.InetAddress.getByName("127.0.0.1")
    return jpype.JClass(f"{transport}.TSSLTransportFactory").getServerSocket(0, 0, loopback, parameters)


def _one_by_one(handler: Any, interface: Any) -> Any:
    """Return a handler that executes one call at a time: those at the same time deadlock in Derby, for minutes."""
    lock = Lock()

    @jpype.JImplements("java.lang.reflect.InvocationHandler")  # type: ignore[untyped-decorator]
    class OneByOne:
        @jpype.JOverride  # type: ignore[untyped-decorator]
        def invoke(self, _proxy: Any, method: Any, arguments: Any) -> Any:
            with lock:
                try:
                    return method.invoke(handler, arguments)
                except jpype.java.lang.reflect.InvocationTargetException as error:
                    raise error.getCause() from None

    proxies = jpype.JClass("java.lang.reflect.Proxy")
    return proxies.newProxyInstance(handler.getClass().getClassLoader(), [interface], OneByOne())


def _end_with_input() -> None:
    """End the process at the end of its input, that is with its parent; a database in memory needs no closing."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    Thread(target=_end_with_input, daemon=True).start()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # Java logs to its standard output, which has no reader
    serve(Path(sys.argv[1]), json.loads(sys.argv[2]), answers)
