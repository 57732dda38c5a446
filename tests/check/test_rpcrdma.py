

def test_the_capture_for_measurements(report, capture):
    status, parsed = report("--fail-on=note", capture("nfs-bulk", "--size=3M"))
    calls = parsed["captures"][0]["connections"][0]["rpcrdma"]["calls"]
    assert status == 0 and [call["name"] for call in calls] == ["NFS3 READ", "NFS3 WRITE"]
    for call, way in zip(calls, ("write", "read")):
        assert call["octets"][way] == call["calls"] << 20
