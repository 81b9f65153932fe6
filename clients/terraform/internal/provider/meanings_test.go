package provider

import "testing"

func TestMeanings(t *testing.T) {
	for _, each := range []struct {
		one, other string
		same       bool
	}{
		{`{"schedule": {"min_interval": "6h"}}`, `{"schedule": {"min_interval": "360m"}}`, true},
		{`{"schedule": {"min_interval": "6h"}}`, `{"schedule": {"min_interval": "PT6H"}}`, true},
		{`{"schedule": {"min_interval": "6h"}}`, `{"schedule": {"min_interval": "6m"}}`, false},
		{`{"seal": {"quiet_for": "P1DT1H"}}`, `{"seal": {"quiet_for": "25h"}}`, true},
		{`{"rewrite": {"target_file_bytes": "1GiB"}}`, `{"rewrite": {"target_file_bytes": 1073741824}}`, true},
		{`{"rewrite": {"target_file_bytes": "1GB"}}`, `{"rewrite": {"target_file_bytes": "1GiB"}}`, false},
		{`{"limits": {"bandwidth": "400Mbit/s"}}`, `{"limits": {"bandwidth": "50MB/s"}}`, true},
		{`{"limits": {"bandwidth": "8kbps"}}`, `{"limits": {"bandwidth": "1000"}}`, true},
		{`{"limits": {"bandwidth": "unlimited"}}`, `{"limits": {"bandwidth": "0B"}}`, false},
		{`{"triggers": [{"name": "6h"}]}`, `{"triggers": [{"name": "360m"}]}`, false},
		{`{"triggers": [{"name": "a"}]}`, `{"triggers": [{"name": "a", "input_changed": false}]}`, true},
		{`{"spark": {"require": {"interval": "1d"}}}`, `{"spark": {"require": {"interval": "24h"}}}`, false},
		{`{"quiet_hours": [{"from": "09:00"}]}`, `{"quiet_hours": [{"from": "09:00", "time_zone": "UTC"}]}`, true},
		{`{"quiet_hours": [{"from": "09:00"}]}`, `{"quiet_hours": [{"from": "09:00", "days": ["mon"]}]}`, false},
		{`{"rewrite": {"deletes": {"ratio": 0.5}}}`, `{"rewrite": {"deletes": {"ratio": 0.50}}}`, true},
		{`{"rewrite": {"engine": null}}`, `{"rewrite": {}}`, true},
		{`{"maintenance": {"reclaim": {}}}`, `{}`, false},
	} {
		var one, other document
		if decode([]byte(each.one), &one) != nil || decode([]byte(each.other), &other) != nil {
			t.Fatal(each)
		}
		if sameMeaning("policy", one, other) != each.same {
			t.Errorf("%s and %s: same is not %t", each.one, each.other, each.same)
		}
	}
}
