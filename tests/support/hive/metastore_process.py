"""The process of a Hive Metastore on loopback: prints its port, serves until the end of its input.

    python -m tests.support.hive.metastore_process <warehouse> [<security>]

The security is a JSON object: with `keystore` and `password` connections use TLS, with `truststore` clients need a
certificate. With `principal` and `keytab` clients authenticate by Kerberos, `krb5_conf` has the realm, `protection` is
`hadoop.rpc.protection`, and with `authorization` users need grants.

`HiveMetaStore.main` of Hive 2.3 listens on all addresses and has no setting for one: this serves the same handler on a
socket of 127.0.0.1. The database is Derby in memory. Settings are system properties, which `HiveConf` reads.
"""

import json
import os
import sys
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final, TextIO

import jpype
import pyspark

from tests.support.jvm import SHORT_LIVED

_SPARK: Final = Path(pyspark.__file__).parent / "jars"
_HIVE: Final = "org.apache.hadoop.hive.metastore"
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


def serve(warehouse: Path, security: dict[str, str], answers: TextIO) -> None:
    """Start the Metastore, print its port, and serve."""
    settings = {**_SETTINGS, "hive.metastore.warehouse.dir": warehouse.as_uri()}
    settings |= _AUTHORIZED if "authorization" in security else {}
    settings |= {"java.security.krb5.conf": security.get("krb5_conf", "/dev/null")}
    flags = [f"-D{name}={value}" for name, value in settings.items()]
    jpype.startJVM("-Xmx512m", *SHORT_LIVED, *flags, classpath=[f"{_SPARK}/*"], convertStrings=True)
    conf = jpype.JClass("org.apache.hadoop.hive.conf.HiveConf")()
    jpype.JClass(f"{_HIVE}.txn.TxnDbUtil").prepDb(conf)
    handler = jpype.JClass(f"{_HIVE}.HiveMetaStore$HMSHandler")("metastore", conf, False)
    proxy = jpype.JClass(f"{_HIVE}.RetryingHMSHandler").getProxy(conf, handler, True)
    one_by_one = _one_by_one(proxy, jpype.JClass(f"{_HIVE}.IHMSHandler"))
    socket = _server_socket(security)
    options = jpype.JClass(f"{_THRIFT}.server.TThreadPoolServer$Args")(socket)
    if "keytab" in security:
        _authenticate(options, security, conf, one_by_one)
    else:
        options.processor(jpype.JClass(f"{_HIVE}.TUGIBasedProcessor")(one_by_one))
        options.transportFactory(jpype.JClass("org.apache.hadoop.hive.thrift.TUGIContainingTransport$Factory")())
    options.maxWorkerThreads(64)
    server = jpype.JClass(f"{_THRIFT}.server.TThreadPoolServer")(options)
    print(socket.getServerSocket().getLocalPort(), file=answers, flush=True)
    server.serve()


def _authenticate(options: Any, security: dict[str, str], conf: Any, handler: Any) -> None:
    """Let clients authenticate by Kerberos, as `HiveMetaStore.startMetaStore` does."""
    conf.set("hadoop.security.authentication", "kerberos")
    conf.set("hadoop.rpc.protection", security["protection"])
    jpype.JClass("org.apache.hadoop.security.UserGroupInformation").setConfiguration(conf)
    bridge = jpype.JClass("org.apache.hadoop.hive.shims.ShimLoader").getHadoopThriftAuthBridge()
    server = bridge.createServer(security["keytab"], security["principal"])
    tokens = jpype.JClass("org.apache.hadoop.hive.thrift.HiveDelegationTokenManager")()
    mode = jpype.JClass("org.apache.hadoop.hive.thrift.HadoopThriftAuthBridge$Server$ServerMode").METASTORE
    tokens.startDelegationTokenSecretManager(conf, handler, mode)
    server.setSecretManager(tokens.getSecretManager())
    properties = jpype.JClass(f"{_HIVE}.MetaStoreUtils").getMetaStoreSaslProperties(conf)
    options.transportFactory(server.createTransportFactory(properties))
    options.processor(server.wrapProcessor(jpype.JClass(f"{_HIVE}.api.ThriftHiveMetastore$Processor")(handler)))


def _server_socket(security: dict[str, str]) -> Any:
    transport = f"{_THRIFT}.transport"
    if "keystore" not in security:
        return jpype.JClass(f"{transport}.TServerSocket")(jpype.java.net.InetSocketAddress("127.0.0.1", 0))
    parameters = jpype.JClass(f"{transport}.TSSLTransportFactory$TSSLTransportParameters")()
    parameters.setKeyStore(security["keystore"], security["password"], "SunX509", "PKCS12")
    if "truststore" in security:
        parameters.setTrustStore(security["truststore"], security["password"], "SunX509", "PKCS12")
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
    serve(Path(sys.argv[1]), json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}, answers)
